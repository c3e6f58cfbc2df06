// What a source knows of the mutation that is open.

/// A change that has begun and whose watches have not been evaluated, as its source knows it; see `Mutation`.
///
/// What changes the same source on the same thread belongs to it.
@usableFromInline
class OpenMutation {
    // Only the thread that opened it uses it, and no access lasts while code of others runs.
    @safe @exclusivity(unchecked) private(set) final var thread: UInt64 = 0
    /// Whether its source knows it; another thread may have one open there.
    @safe @exclusivity(unchecked) final var isOfSource = false
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
    /// Its event, if somebody traces.
    @safe @exclusivity(unchecked) final var event = EngineTrace.EventNumber.unreported
    // Where no frame has them; the boxes are filled again by the next change:
    /// The value before it, or the elements that leave.
    @safe @exclusivity(unchecked) @usableFromInline final var old: BoxedValue?
    /// The value after it, or the elements that come.
    @safe @exclusivity(unchecked) @usableFromInline final var new: BoxedValue?
    /// The whole value after it, and how some elements change, if it is kept and one of elements.
    @safe @exclusivity(unchecked) final var whole: BoxedValue?
    @safe @exclusivity(unchecked) final var edit: Edit?
    /// Ends it, once the access in place inside it is over; until then it holds the object.
    @safe @exclusivity(unchecked) final var postponedEnd: (() -> Void)?

    /// Prepares it for its next use.
    final func reset() {
        thread = ThisThread.number
        event = .unreported
        (isSilent, isJoined, isAccessInside, isAnnounced, announcements) = (false, false, false, false, 0)
    }

    /// Keeps its values.
    final func keep(_ values: KeptValues) {
        (edit, old, new, whole) = (values.edit, values.old, values.new, values.whole)
    }

    /// Notes that a change of the same source was made inside it.
    final func join() { isJoined = true }

    /// Whether one was, since that was last asked.
    final func takeJoined() -> Bool {
        let wasJoined = isJoined
        isJoined = false
        return wasJoined
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
