// One line for a class: the macros.
import KeyValueCoding

// What the macros write names it, so it is imported with them.
#if Documentation
public import KeyValueObserving
#else
@_exported public import KeyValueObserving
#endif

/// Makes a class observable in one line: each stored variable, and whatever is computed from them.
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
/// The macro adds the registrar and the conformance to ``/KeyValueObserving/KeyValueObservable``. A subclass that is to
/// have observed properties of its own is marked, too; it shares the registrar.
///
/// What is left alone: constants, computed properties, those that a subclass overrides, those of the class itself (`static`),
/// those marked with ``NotObserved()``, and those that another property wrapper or macro stores. A `lazy` property is not
/// observed either, which the compiler says.
///
/// ### Classes that several threads use
///
/// In a class that is declared `Sendable`, the macro marks each variable with ``KeyValueShared()``. The compiler checks such a
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
/// the same rules for threads. For one that has them, each change goes: old value, observers that asked for `.prior`,
/// `willSet`, the store, `didSet`, new value, observers.
@attached(
    member, conformances: KeyValueObservable, _KeyValueDeclared,
    names: named(keyValueRegistrar), named(_noteNames), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueDeclared)
public macro KeyValueObservable() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueObservableMacro")

/// Makes a class observable in one line, and its properties reachable by name.
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
/// It does what ``KeyValueObservable()`` does, and writes `keyPathsByKey`: the class conforms to
/// ``/KeyValueCoding/KeyValueCodable``. Keys are the names of all properties, stored and computed, constants too,
/// except those marked with ``NotObserved()``. A property whose setter is private can be set by name, as in Cocoa. A
/// class that declares `keyPathsByKey` itself keeps its own. A subclass adds to the table if it says `coding: true`,
/// too.
///
/// - Parameter coding: The literal `true`; anything else is an error.
@attached(
    member, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable,
    names: named(keyValueRegistrar), named(_noteNames), named(keyPathsByKey), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable)
public macro KeyValueObservable(coding: Bool) =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueObservableMacro")

/// Leaves a property of a class alone that ``KeyValueObservable()`` declares.
///
/// It is not observed, and neither listings nor access by name know it.
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
/// In a class that is declared `Sendable`, ``KeyValueObservable()`` attaches it to each variable. You write it for one property
/// of another class.
///
/// The property has the promises and the costs of the property wrapper ``/KeyValueObserving/ObservedShared``. The compiler
/// checks the class: a plain variable beside the property is an error. A property with `willSet` or `didSet` needs the
/// wrapper, and `@unchecked Sendable` for its class.
@attached(peer, names: prefixed(_))
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
public macro KeyValueShared() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueSharedMacro")

/// Makes a property with code of its own observable; attached by ``KeyValueObservable()`` only.
@attached(peer, names: prefixed(_))
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
public macro _ObservedByAccessors() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "ObservedByAccessorsMacro")
