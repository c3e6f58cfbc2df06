// Telling the registrations of one change, one after the other, and the list of deliveries under way on a thread.
import CKeyValueObserving

/// A change on its way to its observers.
///
/// Deliveries under way on a thread form a list through the stack frames of ``Delivery/run(_:)``. A change that is
/// about to be made while one is under way first completes it (``completeUnderWay()``): so changes reach all observers
/// in the order in which they are made, however deeply handlers change what they observe. Only the innermost delivery
/// can be incomplete, because each completed those around it before it began.
@safe struct Delivery: ~Copyable {
    private let audience: Audience
    private let object: AnyObject
    private let kind: KeyValueChange
    private let indexes: RangeSet<Int>?
    private let isPrior: Bool
    /// Point to the property's `Value?`, for the registrations on the property itself.
    private let old: UnsafeRawPointer?
    private let new: UnsafeRawPointer?
    /// What the registrations that reach the property by a path are told.
    private let paths: [PathChange]
    /// The next registration to be told.
    private var next = 0

    init(
        to audience: Audience, object: AnyObject, kind: KeyValueChange = .setting, indexes: RangeSet<Int>? = nil,
        isPrior: Bool, old: UnsafeRawPointer?, new: UnsafeRawPointer?, paths: [PathChange]
    ) {
        self.audience = audience
        self.object = object
        self.kind = kind
        self.indexes = indexes
        self.isPrior = isPrior
        unsafe self.old = old
        unsafe self.new = new
        self.paths = paths
    }

    /// Tells everybody who is to be told and is still registered when it is their turn.
    static func run(_ delivery: consuming Delivery) {
        // The node's address is on the thread's list exactly as long as this frame exists.
        var node = unsafe Node(delivery: delivery, outer: kvo_delivery())
        unsafe withUnsafeMutablePointer(to: &node) { node in
            unsafe kvo_set_delivery(node)
            unsafe completeRest(of: node)
            unsafe kvo_set_delivery(node.pointee.outer)
        }
    }

    /// Completes the delivery that is under way on this thread, if there is one.
    static func completeUnderWay() {
        guard let innermost = unsafe kvo_delivery() else { return }
        unsafe completeRest(of: innermost.assumingMemoryBound(to: Node.self))
    }

    private static func completeRest(of node: UnsafeMutablePointer<Node>) {
        ReadingRecorder.suspended {
            // The place is moved on before each call: a handler that comes back here continues after itself.
            while let registration = unsafe node.pointee.delivery.popNext() {
                unsafe node.pointee.delivery.tell(registration)
            }
        }
    }

    private mutating func popNext() -> Registration? {
        while next < audience.registrations.count {
            let registration = audience.registrations[next]
            next += 1
            if registration.isActive, !isPrior || registration.options.contains(.prior) { return registration }
        }
        return nil
    }

    private borrowing func tell(_ registration: Registration) {
        guard let path = registration.path else {
            unsafe registration.deliver(
                DeliveredChange(
                    object: object, kind: kind, indexes: indexes, isPrior: isPrior, old: old, new: new))
            return
        }
        // A path whose root is gone has no change to tell.
        guard let change = paths.first(where: { $0.path === path }) else { return }
        unsafe registration.deliver(
            DeliveredChange(
                object: change.root, kind: .setting, indexes: nil, isPrior: isPrior, old: change.old?.pointer,
                new: change.new?.pointer))
    }

    @safe private struct Node: ~Copyable {
        var delivery: Delivery
        let outer: UnsafeMutableRawPointer?
    }
}
