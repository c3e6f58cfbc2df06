// Announcing changes by hand.

extension KeyValueObservable {
    /// Reports that a manual property is being read.
    ///
    /// Call it in the getter. It makes computed properties and paths that read the property follow it, and gives the
    /// property one identity in all subclasses:
    ///
    /// ```swift
    /// final class Thermometer: KeyValueObservable {
    ///     let keyValueRegistrar = KeyValueRegistrar()
    ///     private var raw = 0
    ///
    ///     var degrees: Int {
    ///         get {
    ///             accessValue(for: \.degrees)
    ///             return raw
    ///         }
    ///         set {
    ///             willChangeValue(for: \.degrees)
    ///             raw = newValue
    ///             didChangeValue(for: \.degrees)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Normally it costs a load and a branch. It does more only while the library reads a key path on this thread.
    ///
    /// - Parameters:
    ///   - keyPath: The property whose getter this is.
    ///   - name: What it is called in listings and messages; by default what the getter is called.
    public func accessValue<Value>(for keyPath: KeyPath<Self, Value>, name: StaticString = #function) {
        reportManualAccess(.read, at: keyPath)
        guard ThisThread.isTracking else { return }
        Tracker.report(self, manual: keyPath, name: name)
    }

    /// Announces that a property is about to change.
    ///
    /// This call fixes which observers are notified, reads old values, and calls the observers that asked for `.prior`.
    /// Follow it by ``didChangeValue(for:)`` with the same key path, on the same thread. Pairs of different properties
    /// may overlap in any way; their observers are notified in the order of the ``didChangeValue(for:)`` calls. A pair
    /// within a pair of the same property belongs to the outer one, and so does setting the property in between.
    ///
    /// Until ``didChangeValue(for:)`` is called the change delivers nothing but the prior calls. (Foundation calls this
    /// `willChangeValue(forKey:)`.)
    ///
    /// - Parameter keyPath: The property: a manual one, one that is `@Observed`, or a computed one.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        Assignment.will(keyPath, of: self)
    }

    /// Announces a change of a property and makes it: ``willChangeValue(for:)``, `body`, ``didChangeValue(for:)``.
    ///
    /// ```swift
    /// final class Thermometer: KeyValueObservable {
    ///     let keyValueRegistrar = KeyValueRegistrar()
    ///     private var raw = 0
    ///
    ///     var degrees: Int {
    ///         get {
    ///             accessValue(for: \.degrees)
    ///             return raw
    ///         }
    ///         set {
    ///             changeValue(for: \.degrees) { raw = newValue }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The change ends when `body` throws, too.
    ///
    /// - Parameters:
    ///   - keyPath: The property: a manual one, one that is `@Observed`, or a computed one.
    ///   - body: Makes the change.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public func changeValue<Value, Result, Failure: Error>(
        for keyPath: KeyPath<Self, Value>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let record = Assignment.will(keyPath, of: self)
        defer { Assignment.did(keyPath, of: self, .value, record) }
        return try body()
    }

    /// Notifies the observers of a property that it has changed.
    ///
    /// Without a call of ``willChangeValue(for:)`` before it, on the same thread, nothing happens.
    ///
    /// - Parameter keyPath: What was given to ``willChangeValue(for:)``.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        Assignment.did(keyPath, of: self)
    }
}
