// Storing a token in a controller.

extension KeyValueObservation {
    /// Stores the registration in a controller, so that it ends with the controller's observer.
    ///
    /// ```swift
    /// let kvo = KVOController(observer: screen)
    /// person.values(of: \.age).deliverOnMainActor { print($0) }.store(in: kvo)
    /// ```
    ///
    /// The controller keeps the token. The registration ends with the controller, with its observer, at once if that is
    /// gone, and by `unobserve` of an object that it is made on; `ignoringChanges` of the controller leaves out its
    /// changes. The controller retains no object for it, and does not apply ``KVOController/DuplicatePolicy``.
    public func store(in controller: KVOController<some AnyObject>) {
        guard let observer = controller.observer else { return invalidate() }
        controller.registrations.add(self, endingWith: observer)
    }
}
