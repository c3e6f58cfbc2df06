// One iteration over a sequence.

/// Wakes an iteration when something has come.
private final class IterationSignal<Element: Sendable>: InboxDelivery {
    private enum State {
        case idle
        case signaled
        case waiting(ContiguousArray<CheckedContinuation<Void, Never>>)
    }

    static var name: String { "sequence" }

    private let state = Guarded(State.idle)

    func begin(_: any Inbox<Element>) { signal() }
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

    /// Returns when something has come since it was called last.
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

/// A registration whose elements are taken one by one; it ends when it is released.
final class Iteration<Element: Sendable>: Sendable {
    private let observation: KeyValueObservation
    private let inbox: any Inbox<Element>
    private let signal: IterationSignal<Element>

    /// Nil if the object is gone.
    init?(of source: some SequenceSource<Element>) {
        signal = IterationSignal()
        guard let filled = source.fill(for: signal, of: IterationSignal<Element>.name, by: nil) else { return nil }
        inbox = filled.inbox
        observation = KeyValueObservation(filled.observations)
    }

    var droppedCount: Int { inbox.droppedCount }

    /// The next element; nil when the object is gone and nothing waits, and once the task has been canceled.
    func next(isolation: isolated (any Actor)?) async -> Element? {
        if Task.isCancelled { observation.invalidate() }
        while true {
            switch inbox.next() {
            case .element(let element, let event):
                EngineTrace.noteTaking(event)
                return element
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
