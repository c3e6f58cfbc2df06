// What the handlers of one call site are called with, before the types are known.

/// A change, and the registrations of one call site that it is delivered to; the call site's notifier knows the types.
@usableFromInline
@safe struct ChangeMessage: ~Copyable {
    /// The delivery that has the registrations, or null for a single one.
    private let delivery: UnsafeMutablePointer<Delivery>?
    private var single: Unmanaged<Registration>?
    private let site: Unmanaged<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    @usableFromInline let object: Unmanaged<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    @usableFromInline let unretainedElements: Unmanaged<ElementsChange>?
    @usableFromInline let isPrior: Bool
    /// Point to the value as an optional, or are nil where the registrations did not ask for it.
    @usableFromInline let old: UnsafeRawPointer?
    @usableFromInline let new: UnsafeRawPointer?

    /// Calls one registration, with the values that it asked for; the caller makes sure that it has not ended.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - object: The object that it was made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: The old value, or the elements that leave.
    ///   - new: The new value, or the elements that come.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, isPrior: Bool = false,
        old: BoxedValue? = nil, new: BoxedValue?
    ) {
        var message = unsafe Self(
            to: .passUnretained(registration), of: .passUnretained(object),
            elements: elements.map { unsafe .passUnretained($0) }, isPrior: isPrior,
            old: old.map { unsafe UnsafeRawPointer($0.pointer) }, new: new.map { unsafe UnsafeRawPointer($0.pointer) })
        registration.site.checkIsolation(of: object)
        registration.site.notifier(&message)
        withExtendedLifetime((elements, old, new)) {}
    }

    /// The message to one registration.
    private init(
        to registration: Unmanaged<Registration>, of object: Unmanaged<AnyObject>, elements: Unmanaged<ElementsChange>?,
        isPrior: Bool, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        unsafe delivery = nil
        unsafe single = registration
        unsafe site = registration._withUnsafeGuaranteedRef { unsafe .passUnretained($0.site) }
        unsafe self.object = object
        unsafe unretainedElements = elements
        self.isPrior = isPrior
        let needs = unsafe site._withUnsafeGuaranteedRef { $0.needs }
        unsafe self.old = needs.contains(.old) ? old : nil
        unsafe self.new = needs.contains(.new) ? new : nil
    }

    /// The message to the next registrations of a delivery.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - site: Their call site.
    ///   - object: The object that they were made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: Points to the old value, or to the elements that leave.
    ///   - new: Points to the new value, or to the elements that come.
    @inline(__always)
    init(
        of delivery: UnsafeMutablePointer<Delivery>, to site: Unmanaged<CallSite>, object: Unmanaged<AnyObject>,
        elements: Unmanaged<ElementsChange>?, isPrior: Bool, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        unsafe self.delivery = delivery
        unsafe single = nil
        unsafe self.site = site
        unsafe self.object = object
        unsafe unretainedElements = elements
        self.isPrior = isPrior
        let needs = unsafe site._withUnsafeGuaranteedRef { $0.needs }
        unsafe self.old = needs.contains(.old) ? old : nil
        unsafe self.new = needs.contains(.new) ? new : nil
    }

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    mutating func next() -> Unmanaged<Registration>? {
        if let delivery = unsafe delivery { return unsafe Delivery.next(in: delivery, at: site) }
        guard let registration = unsafe single else { return nil }
        unsafe single = nil
        unsafe registration._withUnsafeGuaranteedRef { $0.countCall() }
        return unsafe registration
    }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() {
        if let delivery = unsafe delivery { unsafe Delivery.skip(in: delivery, at: site) }
    }

    /// What the handlers asked for.
    @usableFromInline var options: KeyValueObservingOptions {
        unsafe site._withUnsafeGuaranteedRef { $0.options }
    }

    /// The change as it is passed to handlers of a type.
    @inlinable
    func change<Value>(of _: Value.Type) -> KeyValueObservedChange<Value> {
        makeChange(
            new: unsafe new.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee },
            old: unsafe old.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee })
    }

    @inlinable
    func makeChange<Value>(new: Value?, old: Value?) -> KeyValueObservedChange<Value> {
        let elements = elements
        return KeyValueObservedChange(
            kind: elements?.kind ?? .setting, newValue: new, oldValue: old, elements: elements,
            isPrior: isPrior, origin: origin)
    }

    @inlinable var elements: ElementsChange? { unsafe unretainedElements?.takeUnretainedValue() }
    /// Where the change finds its key path.
    @usableFromInline var origin: ChangeKeyPath { unsafe site.takeUnretainedValue() }
}
