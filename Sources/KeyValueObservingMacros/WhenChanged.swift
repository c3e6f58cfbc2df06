// The macros for methods that are called at changes. They are a preview; a minor version may change them.
public import KeyValueObserving
import KeyValueObservingStyles

/// Preview: registers the methods of a class that are marked with ``WhenChanged(_:initial:distinct:)``.
///
/// It adds a method `observe(_:)` for each type of object that a marked method observes:
///
/// ```swift
/// @KeyValueCallbacks
/// final class Screen {
///     @WhenChanged(\Person.age) func ageDidChange(_ new: Int, old: Int) { print(old, new) }
///     @WhenChanged(\Person.friend?.name) func friendDidChange(_ person: Person, new: String?) {}
/// }
/// let screen = Screen()
/// screen.observe(person)      // registers both
/// ```
///
/// If the class has a property with a ``/KeyValueObserving/KVOController``, that controller keeps the registrations.
/// Otherwise a ``/KeyValueObservingStyles/KeyValueObservationOwner`` keeps them itself, and for any other class the
/// macro adds a controller, `kvo`. End them there, as with `kvo.unobserve(person)`. Observing the same object again
/// changes nothing, unless the controller's policy differs.
@attached(member, conformances: KeyValueObservationOwner, names: named(observe), named(kvo))
public macro KeyValueCallbacks() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueCallbacksMacro")

/// Preview: calls a method when a property changes.
///
/// The method's parameters decide which values it receives. It has one of four shapes, which differ in the names of the
/// second and third parameters:
///
/// ```swift
/// @KeyValueCallbacks
/// final class Screen {
///     @WhenChanged(\Person.age) func ageDidChange(_ new: Int) {}
///     @WhenChanged(\Person.name) func nameDidChange(_ new: String, old: String) {}
///     @WhenChanged(\Person.tags) func tagsDidChange(_ person: Person, new: [String]) {}
///     @WhenChanged(\Person.friend?.age) func friendDidChange(_ person: Person, new: Int?, old: Int?) {}
/// }
/// ```
///
/// If a class has several methods of the same name for the same key path, the first in this order is called, and the
/// compiler warns about the others. A method with other parameters is an error, as are parameters whose type is not the
/// property's.
///
/// The class must be marked with ``KeyValueCallbacks()``. Threads and order are those of other handlers.
///
/// - Parameters:
///   - keyPath: The key path to observe, with the type of the object written out, `\Person.age`.
///   - initial: Whether the method is also called with the current value when you begin to observe the object.
///   - distinct: Whether the method is not called for a change to an equal value. Values that cannot be compared trap
///     when you begin to observe the object.
@attached(peer, names: prefixed(_whenChanged_))
public macro WhenChanged<Source: KeyValueObservable, Value>(
    _ keyPath: KeyPath<Source, Value>, initial: Bool = false, distinct: Bool = false
) =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "WhenChangedMacro")
