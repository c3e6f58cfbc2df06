// What registrations are told of a change, before its types are known.

/// What registrations of one origin are told, and who they are, with the types left out: the origin's teller knows them.
@usableFromInline
@safe struct DeliveredChange: ~Copyable {
    /// The delivery that has more registrations, if they may be of the same origin.
    private let delivery: UnsafeMutablePointer<Delivery>?
    /// The registration that is told next, unless the delivery knows.
    private var only: Unmanaged<Registration>?
    private let unretainedOrigin: Unmanaged<RegistrationOrigin>
    /// The root of the registrations' key path; whoever makes the delivery holds it.
    @usableFromInline let object: Unmanaged<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the delivery holds it.
    @usableFromInline let elements: Unmanaged<ElementsChange>?
    @usableFromInline let isPrior: Bool
    /// Point to the value as an optional, or are nil where the registrations do not need it.
    @usableFromInline let old: UnsafeRawPointer?
    @usableFromInline let new: UnsafeRawPointer?

    /// What one registration is told.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - object: The root.
    ///   - elements: Says how some elements changed, unless the whole value was set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: Points to the old value or the elements that leave.
    ///   - new: Points to the new value or the elements that come.
    init(
        to registration: Unmanaged<Registration>, object: Unmanaged<AnyObject>, elements: Unmanaged<ElementsChange>?,
        isPrior: Bool, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        unsafe delivery = nil
        unsafe only = registration
        unsafe unretainedOrigin = registration._withUnsafeGuaranteedRef { unsafe .passUnretained($0.origin) }
        unsafe self.object = object
        unsafe self.elements = elements
        self.isPrior = isPrior
        unsafe self.old = old
        unsafe self.new = new
    }

    /// What the next registrations of a delivery are told, as long as they are of one origin.
    init(of delivery: UnsafeMutablePointer<Delivery>, to origin: Unmanaged<RegistrationOrigin>) {
        unsafe self.delivery = delivery
        unsafe only = nil
        unsafe unretainedOrigin = origin
        unsafe object = delivery.pointee.object
        unsafe elements = delivery.pointee.elements
        isPrior = unsafe delivery.pointee.isPrior
        let needs = unsafe origin._withUnsafeGuaranteedRef { $0.needs }
        unsafe old = needs.contains(.old) ? delivery.pointee.old : nil
        unsafe new = needs.contains(.new) ? delivery.pointee.new : nil
    }

    /// The next registration, whose handler is about to be called, for as long as the delivery lasts; nil if the next
    /// ones are of another origin.
    @usableFromInline
    mutating func next() -> Unmanaged<Registration>? {
        if let delivery = unsafe delivery { return unsafe delivery.pointee.popNext(of: unretainedOrigin) }
        guard let registration = unsafe only else { return nil }
        unsafe only = nil
        unsafe registration._withUnsafeGuaranteedRef { $0.countDelivery(isAlone: false) }
        return unsafe registration
    }

    /// Leaves out the registrations that `next` would give.
    @usableFromInline
    func skip() {
        if let delivery = unsafe delivery { unsafe delivery.pointee.skipNext(of: unretainedOrigin) }
    }

    /// The change as it is told to the handler of a registration of this value's type.
    @inlinable
    func change<Value>(of _: Value.Type) -> KeyValueObservedChange<Value> {
        let (kind, indexes) = unsafe elements == nil ? (.setting, nil) : kindOfElements
        return KeyValueObservedChange(
            kind: kind, newValue: newValue(of: Value.self), oldValue: oldValue(of: Value.self), changedIndexes: indexes,
            isPrior: isPrior, origin: origin)
    }

    /// Where the change finds its key path.
    @usableFromInline var origin: ChangeOrigin { unsafe unretainedOrigin.takeUnretainedValue() }

    /// What the handlers are told.
    @usableFromInline var options: KeyValueObservingOptions {
        unsafe unretainedOrigin._withUnsafeGuaranteedRef { $0.options }
    }

    @usableFromInline var kindOfElements: (KeyValueChange, ChangedIndexes?) {
        unsafe elements.map { unsafe $0._withUnsafeGuaranteedRef { ($0.kind, $0.told) } } ?? (.setting, nil)
    }

    @inlinable
    func oldValue<Value>(of _: Value.Type) -> Value? {
        unsafe old.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }

    @inlinable
    func newValue<Value>(of _: Value.Type) -> Value? {
        unsafe new.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }
}
