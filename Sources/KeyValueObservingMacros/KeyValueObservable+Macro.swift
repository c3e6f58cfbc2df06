// One line for a class: the macros.
#if Macros
import KeyValueCoding
import KeyValueObserving

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
/// The macro adds the registrar and the conformance to ``/KeyValueObserving/KeyValueObservable``. A subclass that is to have observed
/// properties of its own is marked, too; it shares the registrar. <doc:DeclaringByMacro> shows what each line expands to.
///
/// What is left alone: constants, computed properties, those that a subclass overrides, those of the class itself (`static`),
/// those marked with ``NotObserved()``, and those that another property wrapper or macro stores. A `lazy` property is not
/// observed either, which the compiler says.
///
/// ### Threads and order
///
/// A property without `willSet` and `didSet` becomes one with ``/KeyValueObserving/Observed``, with the same costs and the same rules
/// for threads. For one that has them, each change goes: old value, observers that asked for `.prior`, `willSet`, the
/// store, `didSet`, new value, observers.
///
/// - Parameter coding: Whether the properties are reachable by name, too: the class then conforms to
///   ``/KeyValueCoding/KeyValueCodable``, and needs `import KeyValueCoding`. It must be a literal.
@attached(
    member, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable,
    names: named(keyValueRegistrar), named(_noteNames), named(keyPathsByKey))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueDeclared, KeyValueCodable)
public macro KeyValueObservable(coding: Bool = false) =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueObservableMacro")

/// Leaves a property of a class alone that ``KeyValueObservable(coding:)`` declares.
///
/// It is not observed, and neither listings nor access by name know it.
@attached(peer)
public macro NotObserved() = #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "NotObservedMacro")

/// Makes a property with code of its own observable; attached by ``KeyValueObservable(coding:)`` only.
@attached(peer, names: prefixed(_))
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
public macro _ObservedByAccessors() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "ObservedByAccessorsMacro")
#endif
