// How many events are recorded.
import KeyValueObserving
import Synchronization

/// The events that may still be recorded, and how many were left out.
///
/// An event that another one causes is always recorded, so that chains of causes are whole. It counts all the same.
final class EventLimit: Sendable {
    /// How many events may still begin that have no cause.
    private let allowed = Atomic<Int>(.max)
    private let leftOut = Atomic<Int>(0)

    /// How many events were left out since the program began.
    var leftOutCount: Int { leftOut.load(ordering: .relaxed) }

    /// Allows so many events until the next call.
    func allow(_ count: Int) { allowed.store(count, ordering: .relaxed) }

    /// Notes that an event is recorded.
    func noteEvent() { allowed.wrappingSubtract(1, ordering: .relaxed) }

    /// Whether an event is left out, which counts it.
    ///
    /// It takes no lock: a program may make many changes that are left out.
    func leavesOut(causedBy cause: EngineTrace.EventNumber) -> Bool {
        if cause.isReported || allowed.load(ordering: .relaxed) > 0 { return false }
        leftOut.wrappingAdd(1, ordering: .relaxed)
        return true
    }
}
