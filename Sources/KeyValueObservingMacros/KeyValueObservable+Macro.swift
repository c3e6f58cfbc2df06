// The macros that declare the observed properties of a class.
import KeyValueCoding

// The code that the macros write names this module, so it is imported with them.
#if Documentation
public import KeyValueObserving
#else
@_exported public import KeyValueObserving
#endif

/// Makes a class observable in one line: its stored variables, and the properties computed from them.
///
/// ```swift
/// @KeyValueObservable
/// final class Person {
///     var age = 0
///     var name = "" { didSet { save() } }      // observers are called after `didSet`
///     weak var owner: Person?                  // a `weak` property can be observed
///     @NotObserved var cache: [Int] = []
///     var title: String { "Dr. \(name)" }      // computed from an observed property: observable too
///
///     func save() { print("saved \(name)") }
/// }
/// ```
///
/// The macro adds the registrar and the conformance to ``/KeyValueObserving/KeyValueObservable``. Mark a subclass, too,
/// if it has observed properties of its own; it shares the registrar.
///
/// The macro leaves these alone: constants, computed properties, properties that a subclass overrides, `static`
/// properties, those marked with ``NotObserved()``, and those stored by another property wrapper or macro. It does not
/// observe a `lazy` property either, and the compiler warns about that.
///
/// ### Classes that several threads use
///
/// In a class declared `Sendable`, the macro marks each variable with ``KeyValueShared()``. The compiler checks such a
/// class without `@unchecked`:
///
/// ```swift
/// @KeyValueObservable
/// final class Counter: Sendable {
///     var hits = 0
/// }
/// ```
///
/// Classes that are `@unchecked Sendable`, and those of a global actor, keep ``/KeyValueObserving/Observed``.
///
/// ### Threads and order
///
/// A property without `willSet` and `didSet` becomes one with ``/KeyValueObserving/Observed``, with the same costs and
/// the same rules for threads. For one that has them, each change goes through these steps: old value, observers that
/// requested `.prior`, `willSet`, the store, `didSet`, new value, observers.
@attached(
    member, conformances: KeyValueObservable, _KeyValueDeclared,
    names: named(keyValueRegistrar), named(_noteNames), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueDeclared)
public macro KeyValueObservable() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueObservableMacro")

/// Makes a class observable in one line, and gives access to its properties by name.
///
/// ```swift
/// import KeyValueCoding
///
/// @KeyValueObservable(coding: true)
/// final class Account {
///     var balance = 0
///     var isOpen = true       // reached as `isOpen` and, as in Cocoa, as `open`
/// }
/// let account = Account()
/// try account.setValue(5, forKey: "balance")
/// ```
///
/// It does what ``KeyValueObservable()`` does, writes `keyPathsByKey`, and adds the conformance to
/// ``/KeyValueCoding/KeyValueCodable``. The keys are the names of all properties, stored, computed and constant, except
/// those marked with ``NotObserved()``. A property whose setter is private can be set by name, as in Cocoa. A class
/// that declares `keyPathsByKey` itself keeps its own. A subclass adds to the table if it says `coding: true`, too.
///
/// - Parameter coding: The literal `true`; anything else is an error.
@attached(
    member, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable,
    names: named(keyValueRegistrar), named(_noteNames), named(keyPathsByKey), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable)
public macro KeyValueObservable(coding: Bool) =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueObservableMacro")

/// Excludes a property from ``KeyValueObservable()``.
///
/// You can't observe the property, and neither listings nor access by name include it.
@attached(peer)
public macro NotObserved() = #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "NotObservedMacro")

/// Stores a property that several threads change in a constant, so that its class can be `Sendable` without `@unchecked`.
///
/// ```swift
/// final class Counter: KeyValueObservable, Sendable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @KeyValueShared var hits = 0
/// }
/// ```
///
/// In a class declared `Sendable`, ``KeyValueObservable()`` attaches it to each variable. In another class, you attach
/// it to a property yourself.
///
/// The property makes the same promises, at the same cost, as one with the property wrapper
/// ``/KeyValueObserving/ObservedShared``. The compiler checks the class, so a plain variable beside the property is an
/// error. A property with `willSet` or `didSet` needs the wrapper, and `@unchecked Sendable` for its class.
@attached(peer, names: prefixed(_))
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
public macro KeyValueShared() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueSharedMacro")

/// Makes a property with `willSet` or `didSet` observable; only ``KeyValueObservable()`` attaches it.
@attached(peer, names: prefixed(_))
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
public macro _ObservedByAccessors() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "ObservedByAccessorsMacro")
