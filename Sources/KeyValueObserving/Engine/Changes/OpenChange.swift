// What the source of a change knows of it while it is open.

/// A change that has begun and whose watches have not been evaluated, as its source knows it; see ``Change``.
///
/// What changes the same source on the same thread belongs to it.
@usableFromInline
class OpenChange {
    // Only the thread that opened it uses it, and no access lasts while code of others runs.
    @safe @exclusivity(unchecked) private(set) final var thread: UInt64 = 0
    /// Whether nobody is to be called for it: an access in place to a property that notifies manually.
    @safe @exclusivity(unchecked) final var isSilent = false
    /// Whether another change has joined it, since that was last asked.
    @safe @exclusivity(unchecked) private final var isJoined = false
    /// How many changes that were announced inside it have not ended.
    @safe @exclusivity(unchecked) private final var announcements = 0
    /// Whether the property is accessed in place inside it.
    @safe @exclusivity(unchecked) @usableFromInline final var isAccessInside = false
    /// Whether it is announced, so that its end may never come.
    @safe @exclusivity(unchecked) final var isAnnounced = false
    /// The value before it, or the elements that leave, where no frame has it.
    @safe @exclusivity(unchecked) @usableFromInline final var old: BoxedValue?
    /// Ends it, once the access in place inside it is over; until then it holds the object.
    @safe @exclusivity(unchecked) final var postponedEnd: (() -> Void)?

    /// Prepares it for its next use.
    final func reset() {
        thread = ThisThread.number
        (isSilent, isJoined, isAccessInside, isAnnounced, announcements) = (false, false, false, false, 0)
    }

    /// Notes that a change of the same source was made inside it.
    final func join() { isJoined = true }

    /// Whether one was, since that was last asked.
    final func takeJoined() -> Bool {
        defer { isJoined = false }
        return isJoined
    }

    /// Notes that a change was announced inside it.
    final func announce() {
        announcements += 1
        isJoined = true
        isSilent = false
    }

    /// Ends what was announced inside it; false if nothing was.
    final func endAnnouncement() -> Bool {
        guard announcements > 0 else { return false }
        announcements -= 1
        return true
    }
}
