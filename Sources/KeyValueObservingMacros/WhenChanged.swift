// Callbacks by convention: the macros. They are a preview: a minor version may change them.
public import KeyValueObserving
import KeyValueObservingStyles

/// Preview: has the methods of a class called that are marked with ``WhenChanged(_:initial:distinct:)``.
///
/// It adds `observe(_:)` for each type of object that methods are declared for:
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
/// The registrations are kept by the class's own ``/KeyValueObserving/KVOController``, if it has a property with one;
/// by the object itself, if it is a ``/KeyValueObservingStyles/KeyValueObservationOwner``; otherwise by a controller
/// that the macro adds, `kvo`. There they are ended, `kvo.unobserve(person)`. Observing the same object again changes
/// nothing, unless the controller says otherwise.
@attached(member, conformances: KeyValueObservationOwner, names: named(observe), named(kvo))
public macro KeyValueCallbacks() =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "KeyValueCallbacksMacro")

/// Preview: has a method called when a property changes.
///
/// The parameters say what the method is called with. There are four shapes, told apart by what the second and the third
/// parameter are called:
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
/// compiler warns at the others. A method with other parameters is an error, and so are parameters of a type that the
/// property does not have.
///
/// The class must be marked with ``KeyValueCallbacks()``. Threads and order are those of other handlers.
///
/// - Parameters:
///   - keyPath: What to observe, from the object; its type must be written, `\Person.age`.
///   - initial: Whether the method is also called when the object is observed, with the value of then.
///   - distinct: Whether a change to an equal value calls nothing. Values that cannot be compared trap when the object is
///     observed.
@attached(peer, names: prefixed(_whenChanged_))
public macro WhenChanged<Source: KeyValueObservable, Value>(
    _ keyPath: KeyPath<Source, Value>, initial: Bool = false, distinct: Bool = false
) =
    #externalMacro(module: "KeyValueObservingMacrosPlugin", type: "WhenChangedMacro")
