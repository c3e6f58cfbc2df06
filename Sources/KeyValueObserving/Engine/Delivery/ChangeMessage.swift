// What the handlers of one call site are called with, before the types are known.

/// A change, and the registrations of one call site that it is delivered to; the call site's teller knows the types.
@usableFromInline
@safe struct ChangeMessage: ~Copyable {
    /// The delivery that has the registrations, or null for a single one.
    private let delivery: UnsafeMutablePointer<Delivery>?
    private let single: Registration?
    private let site: Unmanaged<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    private let unretainedObject: Unmanaged<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    private let unretainedElements: Unmanaged<ElementsChange>?
    private let isPrior: Bool
    /// Point to the value as an optional, or are nil where the registrations did not ask for it.
    @usableFromInline let old: UnsafeRawPointer?
    @usableFromInline let new: UnsafeRawPointer?

    /// The message to one registration that is not part of a change: its initial value.
    init(initialTo registration: Registration, of object: AnyObject, new: UnsafeRawPointer?) {
        unsafe delivery = nil
        single = registration
        unsafe site = .passUnretained(registration.site)
        unsafe unretainedObject = .passUnretained(object)
        unsafe unretainedElements = nil
        isPrior = false
        unsafe old = nil
        unsafe self.new = new
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
        single = nil
        unsafe self.site = site
        unsafe unretainedObject = object
        unsafe unretainedElements = elements
        self.isPrior = isPrior
        let needs = unsafe site._withUnsafeGuaranteedRef { $0.needs }
        unsafe self.old = needs.contains(.old) ? old : nil
        unsafe self.new = needs.contains(.new) ? new : nil
    }

    /// Calls `body` with each registration, whose handler it calls.
    @usableFromInline
    func forEachRecipient(_ body: (Registration) -> Void) {
        if let single {
            single.countCall()
            body(single)
        } else if let delivery = unsafe delivery {
            unsafe Delivery.forEachNext(in: delivery, at: site, body)
        }
    }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() {
        if let delivery = unsafe delivery {
            unsafe Delivery.forEachNext(in: delivery, at: site, isCalled: false) { _ in }
        }
    }

    /// The object that the registrations were made on.
    @usableFromInline var object: AnyObject { unsafe unretainedObject.takeUnretainedValue() }

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
            isPrior: isBeforeTheChange, origin: origin)
    }

    @usableFromInline var elements: ElementsChange? { unsafe unretainedElements?.takeUnretainedValue() }
    @usableFromInline var isBeforeTheChange: Bool { isPrior }
    /// Where the change finds its key path.
    @usableFromInline var origin: ChangeKeyPath { unsafe site.takeUnretainedValue() }
}
