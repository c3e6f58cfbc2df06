// One registered handler.
import Synchronization

/// The place of a registration in the order in which all registrations of the process were made.
typealias RegistrationID = UInt64

/// A handler that waits for changes of one key path of one object.
///
/// What observes on the observed object's side owns it; the token only knows its number. So a handler is released as
/// soon as its registration is removed and nothing is being delivered to it, whoever still holds the token.
@usableFromInline
class Registration: @unchecked Sendable {
    // It is written when the registration is recorded, under a lock, and only read after.
    @exclusivity(unchecked) private final var recordedOrigin: RegistrationOrigin?
    private final let count: CallCount

    private static let lastID = Atomic<RegistrationID>(0)

    /// The number of the registration made last.
    static var newestID: RegistrationID { lastID.load(ordering: .relaxed) }

    @usableFromInline
    init() {
        count = CallCount(number: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    final var id: RegistrationID { count.number }

    /// What it has in common with others; there is none before it is recorded.
    final var origin: RegistrationOrigin { unsafe recordedOrigin.unsafelyUnwrapped }

    /// Notes its origin when it is recorded.
    final func begin(from origin: RegistrationOrigin) { unsafe recordedOrigin = origin }

    /// Whether it is still to be called.
    ///
    /// Never true again once it was false.
    final var isActive: Bool { !count.hasEnded }

    /// Whether a delivery concerns it now.
    final func isToBeTold(prior: Bool) -> Bool { isActive && (!prior || origin.options.contains(.prior)) }

    /// Ends it: no call starts after this.
    final func deactivate() { count.end() }

    /// How often the handler was called.
    final var deliveredCount: Int { count.calls }

    /// Counts a call of the handler, which is about to be made.
    ///
    /// - Parameter isAlone: Whether it is made for a change that borrowed the audience of the property that this is kept
    ///   with.
    final func countDelivery(isAlone: Bool) { count.count(isAlone: isAlone) }

    /// Tells the handler the value as it is now, if it asked for that.
    ///
    /// - Parameters:
    ///   - object: The root of its key path.
    ///   - value: Points to the value as an optional, if it asked for that.
    @usableFromInline
    final func tellInitial(of object: AnyObject, value: UnsafeRawPointer?) {
        guard isActive else { return }
        var delivered = unsafe DeliveredChange(
            to: .passUnretained(self), object: .passUnretained(object), elements: nil, isPrior: false, old: nil,
            new: value)
        ReadingRecorder.suspended { origin.teller(&delivered) }
    }
}
