// Observing all properties of an object through a controller.

extension KVOController {
    /// Calls a handler with the observer after each change of any of an object's own observable properties.
    ///
    /// ```swift
    /// kvo.observeAnyProperty(of: person) { screen, _, change in screen.log("\(change.name) has changed") }
    /// ```
    ///
    /// Which properties these are is as for ``KeyValueObservable/observeAnyProperty(fileID:line:changeHandler:)``, and so
    /// are order and threads. The registration ends with this controller, the observer or the object, or with the forms
    /// of `unobserve` that name no key path. If the object is observed so already, ``DuplicatePolicy`` decides.
    public func observeAnyProperty<Object: KeyValueObservable>(
        of object: Object?, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Object, KeyValueObservedChange<Any>) -> Void
    ) {
        guard let object, let observer else { return }
        let (isolation, call) = (changeHandler.isolation, ActionHandler(changeHandler).call)
        let request = RegistrationRequest(
            [], text: "any property", observer: TypeName.of(observer), isolation: isolation, fileID, line,
            notifier: { _ in })
        _ = registrations.add(object, at: { nil }, request, retaining: object === observer ? nil : object) {
            object.recordAnyProperty(isolation: isolation, fileID, line) { [weak self] object, change in
                self?.withObserver { call($0, object, change) }
            }
        }
    }
}
