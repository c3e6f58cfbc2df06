// One registered handler.
import Synchronization

/// A handler that waits for changes of one key path of one object.
///
/// The record or path that it is kept with owns it. The token only knows its number, so that a handler is released as
/// soon as its registration is removed and no delivery needs it, whoever still holds the token.
@usableFromInline
class Registration: @unchecked Sendable {
    // Both are set under the lock under which the registration is recorded, and only read after that.
    @safe @exclusivity(unchecked) private final var recordedSite: CallSite?
    @safe @exclusivity(unchecked) private final var recordedNumber: RegistrationNumber = 0
    /// Four times the number of calls, one more once the registration has ended, and two more once a thread has made
    /// changes that are not to be delivered to it.
    ///
    /// The end is stored with releasing order and read with acquiring order before each call, so that a call that does
    /// not start because of it sees what happened before the end. The count needs no order.
    private final let state = Atomic<UInt>(0)

    private static let ended: UInt = 1
    private static let isIgnorable: UInt = 2
    private static let call: UInt = 4
    private static let lastNumber = Atomic<RegistrationNumber>(0)

    /// The number of the registration that was recorded last.
    ///
    /// A change reads it before it looks at any list of registrations. Numbers are given under the lock under which
    /// registrations are recorded; so one with a later number is not part of the change, whichever list it is found in.
    static var newestNumber: RegistrationNumber { lastNumber.load(ordering: .sequentiallyConsistent) }

    @usableFromInline
    init() {}

    final var number: RegistrationNumber { recordedNumber }
    final var site: CallSite { unsafe recordedSite.unsafelyUnwrapped }

    /// Gives the registration its number and its call site; to be called once, under the lock of what keeps it.
    final func record(at site: CallSite) {
        recordedSite = site
        recordedNumber = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }

    /// Whether a delivery concerns it now.
    ///
    /// - Parameters:
    ///   - isPrior: Whether the change is still to be made.
    ///   - ignored: The list of those that are not notified of the change.
    /// - Returns: Whether it is to be called.
    @inline(__always)
    final func takesPart(inPrior isPrior: Bool, _ ignored: IgnoredRegistrations.List?) -> Bool {
        let state = state.load(ordering: .acquiring)
        if _slowPath(state & (Self.ended | Self.isIgnorable) != 0) {
            if state & Self.ended != 0 { return false }
            if let ignored, ignored.contains(number) { return false }
        }
        return !isPrior || site.options.contains(.prior)
    }

    /// Notes that there are changes that are not to be delivered to it.
    final func becomeIgnorable() { state.bitwiseOr(Self.isIgnorable, ordering: .relaxed) }

    /// Ends it: no call starts after this.
    final func end() { state.bitwiseOr(Self.ended, ordering: .releasing) }

    /// How often the handler was called.
    final var callCount: Int { Int(state.load(ordering: .relaxed) / Self.call) }

    /// Counts a call of the handler, which is about to be made.
    final func countCall() { state.wrappingAdd(Self.call, ordering: .relaxed) }
}
