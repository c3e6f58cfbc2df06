// Telling the registrations of one change, one after the other, and the list of deliveries under way on a thread.
import CKeyValueObserving

/// A change on its way to its observers.
///
/// Deliveries under way on a thread form a list through the stack frames of `run`. A change that is about to be made
/// while one is under way first completes it (``completeUnderWay()``): so changes reach all observers in the order in
/// which they are made, however deeply handlers change what they observe. Only the innermost delivery can be
/// incomplete, because each completed those around it before it began.
@safe struct Delivery: ~Copyable {
    // What is not retained here, the frame of `run` holds.
    private let audience: Unmanaged<Audience>
    private let object: Unmanaged<AnyObject>
    /// Knows what the registrations that reach the property by a path are told, if there are any.
    private let open: Unmanaged<OpenChange>?
    /// How some elements of the property change, unless the whole value is set.
    private let elements: Unmanaged<ElementsChange>?
    private let isPrior: Bool
    /// Point to the property's value as an optional, for the registrations on the property itself.
    private let old: UnsafeRawPointer?
    private let new: UnsafeRawPointer?
    /// The index of the next registration to be told.
    private var next = 0
    /// The delivery around this one.
    private let outer: UnsafeMutableRawPointer?

    private init(
        to audience: Audience, object: AnyObject, open: OpenChange?, elements: ElementsChange?, isPrior: Bool,
        old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        unsafe self.audience = Unmanaged.passUnretained(audience)
        unsafe self.object = Unmanaged.passUnretained(object)
        unsafe self.open = open.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.elements = elements.map { unsafe Unmanaged.passUnretained($0) }
        self.isPrior = isPrior
        unsafe self.old = old
        unsafe self.new = new
        unsafe outer = kvo_delivery()
    }

    /// Tells everybody who is to be told and is still registered when it is their turn.
    static func run(
        to audience: Audience, object: AnyObject, open: OpenChange?, elements: ElementsChange?, isPrior: Bool,
        old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        var delivery = unsafe Delivery(
            to: audience, object: object, open: open, elements: elements, isPrior: isPrior, old: old, new: new)
        // The delivery's address is on the thread's list exactly as long as this frame exists.
        unsafe withUnsafeMutablePointer(to: &delivery) { delivery in
            unsafe kvo_set_delivery(delivery)
            unsafe completeRest(of: delivery)
            unsafe kvo_set_delivery(delivery.pointee.outer)
        }
        withExtendedLifetime((audience, object, open, elements)) {}
    }

    /// Whether a delivery is under way on this thread.
    static var isUnderWay: Bool { unsafe kvo_delivery() != nil }

    /// Completes the delivery that is under way on this thread, if there is one.
    static func completeUnderWay() {
        guard let innermost = unsafe kvo_delivery() else { return }
        unsafe completeRest(of: innermost.assumingMemoryBound(to: Delivery.self))
    }

    private static func completeRest(of delivery: UnsafeMutablePointer<Delivery>) {
        ReadingRecorder.suspended {
            // The place is moved on before each call: a handler that comes back here continues after itself.
            while let listener = unsafe delivery.pointee.popNext() {
                unsafe listener._withUnsafeGuaranteedRef { unsafe tell($0, delivery) }
            }
        }
    }

    private mutating func popNext() -> Unmanaged<Registration>? {
        unsafe audience._withUnsafeGuaranteedRef { audience in
            while unsafe next < audience.listeners.count {
                let listener = unsafe audience.listeners[next]
                next += 1
                if unsafe listener._withUnsafeGuaranteedRef({ $0.isToBeTold(prior: isPrior) }) {
                    return unsafe listener
                }
            }
            return nil
        }
    }

    /// Tells one registration.
    ///
    /// While its handler runs no access to the delivery is in progress, for the handler may come
    /// back to it.
    private static func tell(_ registration: Registration, _ delivery: UnsafeMutablePointer<Delivery>) {
        let needs = registration.needs
        let isPrior = unsafe delivery.pointee.isPrior
        guard let path = registration.path else {
            let old = unsafe needs.contains(.old) ? delivery.pointee.old : nil
            let new = unsafe needs.contains(.new) ? delivery.pointee.new : nil
            let elements = unsafe delivery.pointee.elements
            unsafe registration.tell(
                DeliveredChange(
                    object: delivery.pointee.object, elements: elements?.takeUnretainedValue(), isPrior: isPrior,
                    old: old, new: new))
            return
        }
        // A path whose root is gone has no change to tell.
        guard let change = unsafe delivery.pointee.open?._withUnsafeGuaranteedRef({ $0.change(of: path) }) else {
            return
        }
        let old = unsafe needs.contains(.old) ? change.old?.pointer : nil
        let new = unsafe needs.contains(.new) ? change.new?.pointer : nil
        unsafe registration.tell(
            DeliveredChange(
                object: .passUnretained(change.root), elements: change.elements, isPrior: isPrior, old: old, new: new))
        withExtendedLifetime(change) {}
    }
}
