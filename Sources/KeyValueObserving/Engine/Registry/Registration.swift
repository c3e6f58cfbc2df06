// One registered handler.
import Synchronization

/// A handler that waits for changes of one key path of one object.
///
/// The source, watch or table that keeps it owns it. The token only knows its number, so that a handler is released as
/// soon as its registration is removed and no delivery needs it, whoever still holds the token.
@usableFromInline
class Registration: @unchecked Sendable {
    // Set under the lock under which the registration is recorded, and only read after that.
    @safe @exclusivity(unchecked) private final var recordedSite: CallSite?
    /// Four times the number, one more once the registration has ended, and two more once a thread has made changes
    /// that are not to be delivered to it.
    ///
    /// The end is stored with releasing order and read with acquiring order before each call, so that a call that does
    /// not start because of it sees what happened before the end. The rest needs no order: the number is stored under
    /// the lock.
    private final let numberAndMarks = Atomic<UInt64>(0)
    /// How often the handler was called; the count needs no order.
    private final let calls = Atomic<UInt>(0)
    /// What it was told last, unless that is the old value of the next change; the registration alone has the box.
    ///
    /// One thread at a time calls it, and uses this.
    @safe @exclusivity(unchecked) @usableFromInline final var told: BoxedValue?

    private static let ended: UInt64 = 1
    private static let isIgnorable: UInt64 = 2
    private static let markBits: UInt64 = 2
    private static let lastNumber = Atomic<RegistrationNumber>(0)

    /// The number of the registration that was recorded last.
    ///
    /// A change reads it before it looks at any list of registrations. Numbers are given under the lock under which
    /// registrations are recorded; so one with a later number is not part of the change, whichever list it is found in.
    static var newestNumber: RegistrationNumber { lastNumber.load(ordering: .sequentiallyConsistent) }

    @usableFromInline
    init() {}

    final var number: RegistrationNumber { numberAndMarks.load(ordering: .relaxed) >> Self.markBits }
    final var site: CallSite { unsafe recordedSite.unsafelyUnwrapped }

    /// Gives the registration its number and its call site; to be called once, under the lock of what keeps it.
    final func record(at site: CallSite) {
        let number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        recordedSite = site
        // Nobody else knows it yet. A mark that it has stays.
        numberAndMarks.store(numberAndMarks.load(ordering: .relaxed) | number << Self.markBits, ordering: .relaxed)
    }

    /// Whether a delivery concerns it now.
    @inline(__always)
    final func takesPart(_ ignored: Unretained<IgnoredRegistrations>?, upTo newestNumber: RegistrationNumber) -> Bool {
        let word = numberAndMarks.load(ordering: .acquiring)
        let number = word >> Self.markBits
        if _slowPath(word & (Self.ended | Self.isIgnorable) != 0) {
            if word & Self.ended != 0 { return false }
            if let ignored, ignored.with({ $0.contains(number) }) { return false }
        }
        return number <= newestNumber
    }

    /// Notes that there are changes that are not to be delivered to it.
    final func becomeIgnorable() { numberAndMarks.bitwiseOr(Self.isIgnorable, ordering: .relaxed) }

    /// Ends it: no call starts after this.
    final func end() { numberAndMarks.bitwiseOr(Self.ended, ordering: .releasing) }

    /// Whether it has what it was told last.
    @usableFromInline final var isTold: Bool { told?.isFilled ?? false }

    /// Keeps what it is told with its initial call, or would be; an object is not kept alive.
    final func keep(_ value: BoxedValue?, _ keeping: Keeping) {
        told = value
        if keeping == .object { value?.weaken() }
    }

    /// Notes that a change passes it over: what it was told last is the old value of that, if it does not have it.
    final func miss(_ old: () -> BoxedValue?) {
        guard site.keepsTold, !hasEnded else { return }
        if !isTold { told = old() }
        told?.isPassed = true
    }

    /// Whether it has ended.
    final var hasEnded: Bool { numberAndMarks.load(ordering: .acquiring) & Self.ended != 0 }

    /// How often the handler was called.
    final var callCount: Int { Int(calls.load(ordering: .relaxed)) }

    /// Where its changes go, if they are delivered elsewhere.
    var entrance: (any Entrance)? { nil }

    /// Counts a call of the handler, which is about to be made.
    ///
    /// Where the delivery has borrowed the registration it is alone, and nothing is changed atomically, which would be most of
    /// what a call costs; a call that begins on another thread at the same moment may be missed.
    @usableFromInline
    final func countCall(alone isAlone: Bool) {
        if isAlone {
            calls.store(calls.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            calls.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

/// Where the changes of a registration go that are delivered elsewhere.
protocol Entrance: AnyObject {
    /// Whether what is delivered to is gone.
    var isAbandoned: Bool { get }
    /// How many handlers have been called, and how many changes were dropped.
    var counts: (delivered: Int, dropped: Int) { get }
}
