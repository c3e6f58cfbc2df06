// Announcing changes manually.

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
    ///   - keyPath: The property that has this getter.
    ///   - name: The property's name in listings and messages; by default the name of the getter.
    public func accessValue<Value>(for keyPath: KeyPath<Self, Value>, name: StaticString = #function) {
        if Self._reportsPropertyAccesses {
            Self._reportPropertyAccess(.read, of: self, at: keyPath, Value.self)
        }
        guard ThisThread.isTracking else { return }
        Tracker.report(self, manual: keyPath, name: name)
    }

    /// Announces that a property is about to change.
    ///
    /// This call fixes which observers are notified, reads old values, and calls the observers that requested `.prior`.
    /// Follow it with ``didChangeValue(for:)`` with the same key path, on the same thread. Pairs of different
    /// properties may overlap in any way; their observers are notified in the order of the ``didChangeValue(for:)``
    /// calls. A property has one open pair on a thread: a pair within it belongs to the outer one, and so does setting
    /// the property in between. While the property is being accessed in place, no observer is called before the change,
    /// because none could read it.
    ///
    /// Until ``didChangeValue(for:)`` is called, the change delivers nothing but the prior calls. (The observers of an
    /// announced computed property are still called when a property that its getter reads changes.) If that call never
    /// comes, the change is never delivered, and further changes of this key path on this thread are silent until the
    /// object dies. The change keeps neither the object nor a handler alive. (Foundation calls this
    /// `willChangeValue(forKey:)`.)
    ///
    /// Inside a handler, earlier changes of the property, and of key paths and expressions that read it, are delivered
    /// first to the observers that have not been called. To be observable, a manual property has to call
    /// ``accessValue(for:name:)`` in its getter, or the class has to return false for it from
    /// ``automaticallyNotifiesObservers(for:)``.
    ///
    /// - Parameter keyPath: The property: a manual one, one that is `@Observed`, or a computed one.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        Mutator.will(keyPath, of: self)
    }

    /// Announces a change of a property and makes it: ``willChangeValue(for:)``, `body`, ``didChangeValue(for:)``.
    ///
    /// In a setter: `changeValue(for: \.degrees) { raw = newValue }`.
    ///
    /// Observers are called on this thread before this method returns, even if `body` throws.
    ///
    /// - Parameters:
    ///   - keyPath: The property: a manual one, one that is `@Observed`, or a computed one.
    ///   - body: Makes the change.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    @discardableResult
    public func changeValue<Value, Result, Failure: Error>(
        for keyPath: KeyPath<Self, Value>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let change = Mutator.will(keyPath, of: self)
        defer {
            // `body` may have ended the change.
            if let change, change.isOpenHere {
                Mutator.end(change, of: AnnouncedProperty(object: self, keyPath: keyPath))
            }
            reportManualChange(.didChange, at: keyPath)
        }
        return try body()
    }

    /// Notifies the observers of a property that it has changed.
    ///
    /// The handlers are called on this thread, in registration order, before the call returns. If the property is being
    /// accessed in place, they are called when that access ends. Without a call of ``willChangeValue(for:)`` before it,
    /// on the same thread, nothing happens. Inside another pair of calls for the same property, the outer call
    /// delivers.
    ///
    /// - Parameter keyPath: The key path given to ``willChangeValue(for:)``.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        Mutator.did(keyPath, of: self)
    }
}
