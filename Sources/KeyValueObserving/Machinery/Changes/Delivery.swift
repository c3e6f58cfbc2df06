// Telling the registrations of one change, one after the other, and the list of deliveries under way on a thread.
public import CKeyValueObserving

/// A change on its way to its observers.
///
/// Deliveries under way on a thread form a list through the stack frames of `run`. A change that is about to be made
/// while one is under way first completes it (``completeUnderWay()``): so changes reach all observers in the order in
/// which they are made, however deeply handlers change what they observe. Only the innermost delivery can be
/// incomplete, because each completed those around it before it began.
@usableFromInline
@safe struct Delivery: ~Copyable {
    // What is not retained here, the frame of `run` holds, and the audience.
    let object: Unmanaged<AnyObject>
    /// Knows what the registrations that reach the property by a path are told, if there are any.
    private let open: Unmanaged<OpenChange>?
    /// Knows the same where there is no open change.
    private let unlisted: UnsafeMutablePointer<UnlistedChange>?
    /// How some elements of the property change, unless the whole value is set.
    let elements: Unmanaged<ElementsChange>?
    let isPrior: Bool
    /// Whether the audience was borrowed, so that no other change tells it meanwhile.
    private let isBorrowed: Bool
    /// Point to the property's value as an optional, for the registrations on the property itself.
    let old: UnsafeRawPointer?
    let new: UnsafeRawPointer?
    /// The audience's registrations, and in what way each is concerned.
    private let registrations: UnsafeMutablePointer<Unmanaged<Registration>>
    private let ways: UnsafeMutablePointer<Audience.Way>?
    private let count: Int
    /// The index of the next registration to be told.
    private var place = 0
    /// The delivery around this one.
    private let outer: UnsafeMutableRawPointer?

    private init(
        to audience: Unmanaged<Audience>, object: Unmanaged<AnyObject>, open: Unmanaged<OpenChange>?,
        unlisted: UnsafeMutablePointer<UnlistedChange>? = nil, elements: Unmanaged<ElementsChange>?, isPrior: Bool,
        isBorrowed: Bool = false, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        (unsafe registrations, unsafe ways, count) = unsafe audience._withUnsafeGuaranteedRef {
            unsafe ($0.registrations, $0.ways, $0.count)
        }
        unsafe self.object = object
        unsafe self.open = open
        unsafe self.unlisted = unlisted
        unsafe self.elements = elements
        self.isPrior = isPrior
        self.isBorrowed = isBorrowed
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
            to: .passUnretained(audience), object: .passUnretained(object),
            open: open.map { unsafe .passUnretained($0) }, elements: elements.map { unsafe .passUnretained($0) },
            isPrior: isPrior, old: old, new: new)
        unsafe run(&delivery)
        withExtendedLifetime((audience, object, open, elements)) {}
    }

    /// Tells everybody of a change that one path was read for; the caller holds the audience and the object.
    static func run(
        to audience: Unmanaged<Audience>, object: Unmanaged<AnyObject>, unlisted: UnsafeMutablePointer<UnlistedChange>
    ) {
        var delivery = unsafe Delivery(
            to: audience, object: object, open: nil, unlisted: unlisted, elements: nil, isPrior: false, old: nil,
            new: nil)
        unsafe run(&delivery)
    }

    private static func run(_ delivery: UnsafeMutablePointer<Delivery>) {
        // The delivery's address is on the thread's list exactly as long as the caller's frame exists.
        unsafe kvo_set_delivery(delivery)
        unsafe completeRest(of: delivery)
        unsafe kvo_set_delivery(delivery.pointee.outer)
    }

    /// Tells everybody of a change of the whole value, and gives the audience back.
    ///
    /// - Parameters:
    ///   - audience: Was borrowed, and reaches the property by no path that has to be evaluated.
    ///   - object: The object that changed, which the caller holds.
    ///   - old: Points to the old value as an optional.
    ///   - new: Points to the new value as an optional.
    @usableFromInline
    static func run(
        toBorrowed audience: Unmanaged<Audience>, object: Unmanaged<AnyObject>, old: UnsafeRawPointer,
        new: UnsafeRawPointer
    ) {
        var delivery = unsafe Delivery(
            to: audience, object: object, open: nil, elements: nil, isPrior: false, isBorrowed: true, old: old,
            new: new)
        unsafe run(&delivery)
        unsafe Audience.giveBack(audience)
    }

    /// Whether a delivery is under way on this thread.
    @inlinable static var isUnderWay: Bool { unsafe kvo_delivery() != nil }

    /// Completes the delivery that is under way on this thread, if there is one.
    static func completeUnderWay() {
        guard let innermost = unsafe kvo_delivery() else { return }
        unsafe completeRest(of: innermost.assumingMemoryBound(to: Delivery.self))
    }

    private static func completeRest(of delivery: UnsafeMutablePointer<Delivery>) {
        ReadingRecorder.suspended {
            // The place is moved on before each call: a handler that comes back here continues after itself.
            while unsafe delivery.pointee.goToNext() {
                let (registration, way) = unsafe (delivery.pointee.registration, delivery.pointee.way)
                if let path = unsafe way?.path {
                    // The place is moved on before the call: a handler that comes back here continues after itself.
                    unsafe delivery.pointee.place &+= 1
                    unsafe registration._withUnsafeGuaranteedRef {
                        unsafe tell($0, path, way?.ending, delivery)
                    }
                } else {
                    let origin = unsafe registration._withUnsafeGuaranteedRef {
                        unsafe Unmanaged<RegistrationOrigin>.passUnretained($0.origin)
                    }
                    var delivered = unsafe DeliveredChange(of: delivery, to: origin)
                    unsafe origin._withUnsafeGuaranteedRef { $0.teller(&delivered) }
                }
            }
        }
    }

    /// The registration at the place, and in what way it is concerned, if some reach the property by paths.
    private var registration: Unmanaged<Registration> { unsafe registrations[place] }
    private var way: Audience.Way? { unsafe ways.map { unsafe $0[place] } }

    /// Goes on to the next one who is to be told; false if there is none.
    @inline(__always)
    private mutating func goToNext() -> Bool {
        while place < count {
            let isPrior = isPrior
            if unsafe registration._withUnsafeGuaranteedRef({ $0.isToBeTold(prior: isPrior) }) { return true }
            place &+= 1
        }
        return false
    }

    /// The next registration on the property itself that is to be told, counted as told; nil if that is of another
    /// origin.
    @inline(__always)
    mutating func popNext(of origin: Unmanaged<RegistrationOrigin>) -> Unmanaged<Registration>? {
        guard unsafe isNext(of: origin) else { return nil }
        let registration = unsafe registration
        // The place is moved on before the call: a handler that comes back here continues after itself.
        place &+= 1
        let isBorrowed = isBorrowed
        unsafe registration._withUnsafeGuaranteedRef { $0.countDelivery(isAlone: isBorrowed) }
        return unsafe registration
    }

    /// Leaves out those whom `popNext` would give.
    mutating func skipNext(of origin: Unmanaged<RegistrationOrigin>) {
        while unsafe isNext(of: origin) { place &+= 1 }
    }

    /// Whether the next one is on the property itself, and of a certain origin.
    @inline(__always)
    private mutating func isNext(of origin: Unmanaged<RegistrationOrigin>) -> Bool {
        guard goToNext(), unsafe way?.path == nil else { return false }
        return unsafe registration._withUnsafeGuaranteedRef {
            unsafe Unmanaged.passUnretained($0.origin).toOpaque() == origin.toOpaque()
        }
    }

    /// Tells one registration at a path.
    ///
    /// While its handler runs no access to the delivery is in progress, for the handler may come back to it.
    private static func tell(
        _ registration: Registration, _ path: Unmanaged<ObservedPath>, _ ending: Unmanaged<PathEnding>?,
        _ delivery: UnsafeMutablePointer<Delivery>
    ) {
        guard let open = unsafe delivery.pointee.open else {
            if let change = unsafe delivery.pointee.unlisted {
                return unsafe tell(
                    registration, change.pointee.root, nil, delivery, old: change.pointee.old, new: change.pointee.new)
            }
            // Without an open change all paths end here.
            unsafe path._withUnsafeGuaranteedRef { unsafe tellEnding(registration, $0, ending, delivery) }
            return
        }
        // A path whose root is gone has no change to tell.
        guard let told = unsafe open._withUnsafeGuaranteedRef({ unsafe $0.told(path.takeUnretainedValue()) }) else {
            return
        }
        unsafe tell(
            registration, .passUnretained(told.change.root),
            told.change.elements.map { unsafe .passUnretained($0) }, delivery, old: told.old?.pointer,
            new: told.new?.pointer)
        withExtendedLifetime(told) {}
    }

    /// Tells one registration at a path that ends at the property.
    private static func tellEnding(
        _ registration: Registration, _ path: ObservedPath, _ ending: Unmanaged<PathEnding>?,
        _ delivery: UnsafeMutablePointer<Delivery>
    ) {
        guard let ending = unsafe ending, let root = path.start else { return }
        let needs = registration.origin.needs
        let elements = unsafe delivery.pointee.elements
        let kind = unsafe elements.map { unsafe $0._withUnsafeGuaranteedRef(\.kind) }
        // Elements that come were not there before, and those that leave are not there after.
        let old = unsafe needs.contains(.old) && kind != .insertion ? delivery.pointee.old : nil
        let new = unsafe needs.contains(.new) && kind != .removal ? delivery.pointee.new : nil
        unsafe ending._withUnsafeGuaranteedRef { ending in
            unsafe ending.withValues(old, new) { old, new in
                unsafe tell(registration, .passUnretained(root), elements, delivery, old: old, new: new)
            }
        }
        withExtendedLifetime(root) {}
    }

    /// Tells one registration what it needs.
    private static func tell(
        _ registration: Registration, _ root: Unmanaged<AnyObject>, _ elements: Unmanaged<ElementsChange>?,
        _ delivery: UnsafeMutablePointer<Delivery>, old: UnsafeRawPointer?, new: UnsafeRawPointer?
    ) {
        // The registration holds it.
        let origin = unsafe Unmanaged<RegistrationOrigin>.passUnretained(registration.origin)
        let needs = unsafe origin._withUnsafeGuaranteedRef { $0.needs }
        var delivered = unsafe DeliveredChange(
            to: .passUnretained(registration), object: root, elements: elements, isPrior: delivery.pointee.isPrior,
            old: needs.contains(.old) ? old : nil, new: needs.contains(.new) ? new : nil)
        unsafe origin._withUnsafeGuaranteedRef { $0.teller(&delivered) }
    }
}
