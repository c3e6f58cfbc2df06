// What is done before a change is worked out.

extension Assignment {
    /// Completes what is being delivered on this thread before a value is looked at that is about to change, if the change
    /// will be delivered too.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let address = unsafe UnsafeRawPointer(bitPattern: table) else { return }
        let table = unsafe Unmanaged<ObservationTable>.fromOpaque(address)
        if unsafe table._withUnsafeGuaranteedRef({ $0.mayObserve(property) }) { Delivery.completeAll() }
    }
}
