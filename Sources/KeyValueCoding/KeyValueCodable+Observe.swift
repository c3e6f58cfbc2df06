// Observing a key path that is a string.
public import KeyValueObserving

extension KeyValueCodable {
    /// Calls a handler at every change of a key path that is a string, for as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = try person.observe("address.city", options: .new) { person, change in
    ///     print(change.newValue as? String ?? "nowhere")
    /// }
    /// ```
    ///
    /// Changes are those of ``/KeyValueObserving/KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)`` with the typed key
    /// path of the same properties, and so are order, threads and lifetime. Prefer that where the key path is known
    /// when the program is written. Operators and dictionaries on the way are evaluated anew after each change of what
    /// they read.
    ///
    /// The key path is evaluated once now. Behind a nil on the way nothing is known yet: a key that turns out to be
    /// unknown when an object appears there is reported to ``/KeyValueObserving/KeyValueDiagnostics/handler``, and the value is nil. A key
    /// after an array or a set is refused, as in Cocoa; an operator such as `@count` is not, and what it reads of the
    /// elements is followed.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - changeHandler: Called with this object and the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, the value depends on nothing observable, or values that
    ///   `.distinct` is to compare are not `Equatable`.
    public func observe(
        _ keyPath: String, options: KeyValueObservingOptions = [], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Any>) -> Void
    ) throws -> KeyValueObservation {
        let registration = NamedRegistration(
            text: keyPath, options: options, isolation: changeHandler.isolation, fileID: fileID, line: line)
        let call = Handler(changeHandler).call
        return try KeyPathObserving(text: keyPath).path(from: self, for: options).observe(self, registration) {
            object, change in
            // It is the object that was registered.
            call(unsafe unsafeDowncast(object, to: Self.self), change)
        }
    }
}
