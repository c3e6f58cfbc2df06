// A limit for recorded events.
import KeyValueObserving
import Synchronization

/// The events that may still be recorded, and how many were left out.
///
/// An event caused by a recorded one is always recorded, so that chains of causes are whole. It counts as well.
final class EventLimit: Sendable {
    /// How many events without a cause may still begin.
    private let allowed = Atomic<Int>(.max)
    private let leftOut = Atomic<Int>(0)

    /// How many events were left out since the program began.
    var leftOutCount: Int { leftOut.load(ordering: .relaxed) }

    /// Allows a number of events until the next call.
    func allow(_ count: Int) { allowed.store(count, ordering: .relaxed) }

    /// Counts a recorded event.
    func noteEvent() { allowed.wrappingSubtract(1, ordering: .relaxed) }

    /// Returns whether to leave out an event, and counts it if so.
    ///
    /// It takes no lock, because a program may make many changes that are left out.
    func leavesOut(causedBy cause: EngineTrace.EventNumber) -> Bool {
        if cause.isReported || allowed.load(ordering: .relaxed) > 0 { return false }
        leftOut.wrappingAdd(1, ordering: .relaxed)
        return true
    }
}
