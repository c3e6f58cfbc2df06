// One iteration over a sequence.

/// Wakes an iteration when a change has come.
private final class IterationSignal: InboxDelivery {
    private enum State {
        case idle
        case signaled
        case waiting(ContiguousArray<CheckedContinuation<Void, Never>>)
    }

    var name: String { "sequence" }

    private let state = Guarded(State.idle)

    func begin(_: Inbox) { signal() }
    func end() { signal() }

    private func signal() {
        let waiting = state.withLock { state -> ContiguousArray<CheckedContinuation<Void, Never>> in
            switch state {
            case .idle, .signaled:
                state = .signaled
                return []
            case .waiting(let continuations):
                state = .idle
                return continuations
            }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when a change has come since the last call.
    func wait(isolation: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: isolation) { continuation in
            let hasCome = state.withLock { state in
                switch state {
                case .idle: state = .waiting([continuation])
                case .waiting(let others): state = .waiting(others + [continuation])
                case .signaled:
                    state = .idle
                    return true
                }
                return false
            }
            if hasCome { continuation.resume() }
        }
    }
}

/// A registration whose changes a task consumes one by one; it ends when it is released.
final class Iteration: Sendable {
    private let observation: KeyValueObservation
    private let inbox: Inbox
    private let signal: IterationSignal

    /// Nil if the object has died.
    init?(of source: some SequenceSource, _ request: SequenceRequest) {
        signal = IterationSignal()
        guard let filled = source.fill(request, for: signal) else { return nil }
        (inbox, observation) = filled
    }

    var droppedCount: Int { inbox.droppedCount }
    var hasOverflowed: Bool { inbox.hasOverflowed }

    /// The next change; nil when the object has died and no change waits, and once the task has been canceled.
    func next(isolation: isolated (any Actor)?) async -> TakenChange? {
        if Task.isCancelled { observation.invalidate() }
        while true {
            switch inbox.next() {
            case .change(let change):
                EngineTrace.noteTaking(change.event)
                return change
            case .over: return nil
            case .nothing:
                await withTaskCancellationHandler {
                    await signal.wait(isolation: isolation)
                } onCancel: {
                    observation.invalidate()
                }
            }
        }
    }
}
