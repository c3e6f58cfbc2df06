// What is done before a change is worked out.

extension Assignment {
    /// Completes what is being delivered on this thread, if a change that is being planned will be delivered too.
    ///
    /// It is called before anybody looks at the value that is about to change.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let address = unsafe UnsafeRawPointer(bitPattern: table) else { return }
        let table = unsafe Unmanaged<ObservationTable>.fromOpaque(address)
        if unsafe table._withUnsafeGuaranteedRef({ $0.mayObserve(property) }) { Delivery.completeAll() }
    }
}
