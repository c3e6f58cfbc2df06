// The list of a thread's open changes.
import CKeyValueObserving
import Synchronization

/// The changes of one thread that are between will and did, outermost first.
///
/// Nearly all begin and end on the thread, in nested frames. But an access in place may be held across an `await` and
/// end on another thread, and a change by hand may be left open: so the list holds its changes, a change knows its
/// list, and a lock guards it.
final class OpenChanges: @unchecked Sendable {
    private let changes = Guarded<[OpenChange]>([])
    /// How many there are: usually none, which is to be seen without the lock.
    private let count = Atomic(0)
    /// A change that is over, for the next one.
    ///
    /// Only the list's thread uses it.
    @exclusivity(unchecked) private var kept: OpenChange?
    @exclusivity(unchecked) private var keptValues: (AnyValue?, AnyValue?)

    /// The list of this thread, if it ever needed one.
    static var ofThisThread: OpenChanges? { unsafe unretainedOfThisThread?.takeUnretainedValue() }

    /// The same for use on this thread, which holds it until it ends.
    static var unretainedOfThisThread: Unmanaged<OpenChanges>? {
        guard let list = unsafe kvo_open_changes() else { return nil }
        return unsafe Unmanaged<OpenChanges>.fromOpaque(list)
    }

    /// The list of this thread, made now if this is the first use.
    static func makeOfThisThread() -> OpenChanges { unsafe unretainedMadeOfThisThread.takeUnretainedValue() }

    /// The same for use on this thread.
    static var unretainedMadeOfThisThread: Unmanaged<OpenChanges> {
        if let changes = unsafe unretainedOfThisThread { return unsafe changes }
        let changes = unsafe Unmanaged.passRetained(OpenChanges())
        // Released when the thread ends.
        unsafe kvo_keep_open_changes(changes.toOpaque())
        return unsafe changes
    }

    /// Keeps a change that is over.
    func keep(_ change: OpenChange) { unsafe kept = change }

    /// The change that was kept, if nobody else has it any more.
    func takeKept() -> OpenChange? {
        // Another thread may still look at what it found on this list.
        guard unsafe isKnownUniquelyReferenced(&kept) else { return nil }
        return unsafe kept.take()
    }

    /// Keeps what held a value, for the next one; two are enough for a change of one path.
    func keep(_ value: consuming AnyValue) {
        if unsafe keptValues.0 == nil { unsafe keptValues.0 = value } else { unsafe keptValues.1 = value }
    }

    /// Lets go of a retained value, and keeps what held it, if nobody else has it.
    func keep(_ value: Unmanaged<AnyValue>?) {
        var value = unsafe value?.takeRetainedValue()
        if let emptied = AnyValue.empty(&value) { keep(emptied) }
    }

    func takeKeptValue() -> AnyValue? { unsafe keptValues.1.take() ?? keptValues.0.take() }

    /// Whether there are none, so that nobody looks at one that was there, on any thread.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func append(_ change: OpenChange) {
        changes.withLock { $0.append(change) }
        count.add(1, ordering: .relaxed)
    }

    /// Takes a change off the list, wherever it stands.
    func remove(_ change: OpenChange) {
        let removed = changes.withLock { changes in
            changes.lastIndex { $0 === change }.map { changes.remove(at: $0) }
        }
        if removed != nil { count.subtract(1, ordering: .acquiringAndReleasing) }
    }

    /// The changes around one that is on the list, innermost first; all of them for none.
    func around(_ change: OpenChange?) -> [OpenChange] {
        let count = count.load(ordering: .relaxed)
        // Nearly always it is alone.
        guard count > (change == nil ? 0 : 1) else { return [] }
        return changes.withLock { $0 }.prefix { $0 !== change }.reversed()
    }
}
