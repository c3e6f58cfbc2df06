// Classes whose observed properties Swift's Observation tracks, too.
public import KeyValueObserving
public import Observation

/// A class with properties that can be observed by key path, and tracked by Swift's Observation.
///
/// Code that is written for `@Observable` models then works with yours: `withObservationTracking`, `Observations`, and
/// the user interfaces that are built on them.
///
/// ```swift
/// import KeyValueObserving
/// import KeyValueTracking
/// import Observation
///
/// final class Thermostat: KeyValueTrackable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     let observationRegistrar = ObservationRegistrar()
///     @Observed var target = 20
/// }
///
/// let thermostat = Thermostat()
/// withObservationTracking {
///     print(thermostat.target)            // prints "20"
/// } onChange: {
///     print("will change")                // prints "will change"
/// }
/// thermostat.target = 21
/// ```
///
/// Each read of an `@Observed` property is tracked, as are reads through a computed property, a view, or a manual
/// property that calls `accessValue(for:name:)`. Each change is reported before it is made, and again after the
/// observers of this library were called: setting, a change in place, a change through a view, and one that is
/// announced manually. An equal value counts as a change, as everywhere in this library.
///
/// ### Notes
///
/// The first observable class of a hierarchy has to conform, for all its subclasses. A subclass cannot add tracking
/// where its superclass is only `KeyValueObservable`: the compiler refuses it and names `_NotTrackable`.
///
/// Observation has no free way to find out that no tracking is active. So the library calls it at each access, and only
/// for classes that opt in. All other classes are compiled as if there were no Observation.
public protocol KeyValueTrackable: KeyValueObservable, Observable where _Reporting == _Trackable {
    /// Leads to the properties that Observation tracks. Declare it as
    /// `let observationRegistrar = ObservationRegistrar()`.
    var observationRegistrar: ObservationRegistrar { get }
}

/// Marks classes whose accesses are reported to Observation, and all their subclasses.
public enum _Trackable {}

extension KeyValueTrackable {
    /// Tells the compiler that accesses are reported, even if the class names `KeyValueObservable` by itself.
    public static var _reporting: _Trackable.Type { _Trackable.self }

    /// Accesses are reported, to Observation.
    @inlinable
    public static var _reportsPropertyAccesses: Bool { true }

    /// Reports an access to Observation.
    @inlinable
    public static func _reportPropertyAccess<Stored>(
        _ access: _PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type
    ) {
        guard let object = object as? Self, let keyPath = keyPath as? KeyPath<Self, Stored> else {
            preconditionFailure("the object and the key path belong to this class")
        }
        switch access {
        case .read: object.observationRegistrar.access(object, keyPath: keyPath)
        case .willChange: object.observationRegistrar.willSet(object, keyPath: keyPath)
        case .didChange: object.observationRegistrar.didSet(object, keyPath: keyPath)
        }
    }
}
