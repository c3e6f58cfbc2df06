// The list of a thread's open changes.
import CKeyValueObserving
import Synchronization

/// The changes of one thread that are between will and did, outermost first.
///
/// Nearly all begin and end on the thread, in nested frames. But an access in place may be held across an `await` and
/// end on another thread, and a change by hand may be left open: so the list holds its changes, a change knows its
/// list, and a lock guards it.
final class OpenChanges: Sendable {
    private let changes = Guarded<[OpenChange]>([])
    /// How many there are: usually none, which is to be seen without the lock.
    private let count = Atomic(0)

    /// The list of this thread, if it ever needed one.
    static var ofThisThread: OpenChanges? {
        unsafe kvo_open_changes().map { unsafe Unmanaged<OpenChanges>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The list of this thread, made now if this is the first use.
    static func makeOfThisThread() -> OpenChanges {
        if let changes = ofThisThread { return changes }
        let changes = OpenChanges()
        // Released when the thread ends.
        unsafe kvo_keep_open_changes(Unmanaged.passRetained(changes).toOpaque())
        return changes
    }

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func append(_ change: OpenChange) {
        changes.withLock { $0.append(change) }
        count.add(1, ordering: .relaxed)
    }

    /// Takes a change off the list, wherever it stands.
    func remove(_ change: OpenChange) {
        let removed = changes.withLock { changes in
            changes.firstIndex { $0 === change }.map { changes.remove(at: $0) }
        }
        if removed != nil { count.subtract(1, ordering: .relaxed) }
    }

    /// The changes around one that is on the list, innermost first; all of them for none.
    func around(_ change: OpenChange?) -> [OpenChange] {
        let count = count.load(ordering: .relaxed)
        // Nearly always it is alone.
        guard count > (change == nil ? 0 : 1) else { return [] }
        return changes.withLock { $0 }.prefix { $0 !== change }.reversed()
    }
}
