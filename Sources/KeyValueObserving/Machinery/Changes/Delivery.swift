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
                unsafe listener.registration._withUnsafeGuaranteedRef { registration in
                    unsafe tell(registration, listener.ending, delivery)
                }
            }
        }
    }

    private mutating func popNext() -> Audience.Listener? {
        unsafe audience._withUnsafeGuaranteedRef { audience in
            while next < audience.listeners.count {
                let listener = audience.listeners[next]
                next += 1
                if unsafe listener.registration._withUnsafeGuaranteedRef({ $0.isToBeTold(prior: isPrior) }) {
                    return listener
                }
            }
            return nil
        }
    }

    /// Tells one registration.
    ///
    /// While its handler runs no access to the delivery is in progress, for the handler may come
    /// back to it.
    private static func tell(
        _ registration: Registration, _ ending: Unmanaged<PathEnding>?, _ delivery: UnsafeMutablePointer<Delivery>
    ) {
        guard let path = registration.path else {
            unsafe tell(
                registration, delivery.pointee.object, delivery, old: delivery.pointee.old, new: delivery.pointee.new)
            return
        }
        guard let open = unsafe delivery.pointee.open else {
            // Without an open change all paths end here.
            unsafe tell(registration, path, ending, delivery)
            return
        }
        // A path whose root is gone has no change to tell.
        guard let change = unsafe open._withUnsafeGuaranteedRef({ $0.change(of: path) }) else { return }
        let needs = registration.needs
        let old = unsafe needs.contains(.old) ? change.old?.pointer : nil
        let new = unsafe needs.contains(.new) ? change.new?.pointer : nil
        unsafe registration.tell(
            DeliveredChange(
                object: .passUnretained(change.root), elements: change.elements.map { unsafe .passUnretained($0) },
                isPrior: delivery.pointee.isPrior,
                old: old, new: new))
        withExtendedLifetime(change) {}
    }

    /// Tells one registration at a path that ends at the property.
    private static func tell(
        _ registration: Registration, _ path: ObservedPath, _ ending: Unmanaged<PathEnding>?,
        _ delivery: UnsafeMutablePointer<Delivery>
    ) {
        guard let root = path.start, let ending = unsafe ending?.takeUnretainedValue(),
            let old = unsafe delivery.pointee.old, let new = unsafe delivery.pointee.new
        else { return }
        unsafe ending.withValue(old) { old in
            unsafe ending.withValue(new) { new in
                unsafe tell(registration, .passUnretained(root), delivery, old: old, new: new)
            }
        }
        withExtendedLifetime(root) {}
    }

    /// Tells one registration what it needs of the property's own values.
    private static func tell(
        _ registration: Registration, _ root: Unmanaged<AnyObject>, _ delivery: UnsafeMutablePointer<Delivery>,
        old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        let needs = registration.needs
        let elements = unsafe delivery.pointee.elements
        unsafe registration.tell(
            DeliveredChange(
                object: root, elements: elements, isPrior: delivery.pointee.isPrior,
                old: needs.contains(.old) ? old : nil, new: needs.contains(.new) ? new : nil))
    }
}
