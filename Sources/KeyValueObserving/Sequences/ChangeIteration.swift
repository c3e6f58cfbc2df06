// One iteration over changes.

/// Wakes an iteration when something has come.
private final class IterationSignal<Value: Sendable>: InboxDelivery {
    private enum State {
        /// Nobody waits, and nothing has come since somebody last waited.
        case idle
        case signaled
        case waiting(ContiguousArray<CheckedContinuation<Void, Never>>)
    }

    static var name: String { "sequence" }

    private let state = Guarded(State.idle)

    func begin(_: ChangeInbox<Value>) { signal() }

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
                case .idle:
                    state = .waiting([continuation])
                    return false
                case .waiting(let others):
                    state = .waiting(others + [continuation])
                    return false
                case .signaled:
                    state = .idle
                    return true
                }
            }
            if hasCome { continuation.resume() }
        }
    }
}

/// A registration whose changes are taken one by one; it ends when it is released.
final class ChangeIteration<Value: Sendable>: Sendable {
    private let observation: KeyValueObservation
    private let inbox: ChangeInbox<Value>
    private let signal: IterationSignal<Value>

    init<Object>(over sources: InboxSources<Object, Value>, of object: Object, _ request: ElsewhereRequest) {
        signal = IterationSignal()
        (observation, inbox) = object.registerInbox(sources, request, signal)
    }

    /// The next change; nil when the object is gone and nothing waits, and once the task has been canceled.
    func next(isolation: isolated (any Actor)?) async -> KeyValueObservedChange<Value>? {
        if Task.isCancelled { observation.invalidate() }
        while true {
            switch inbox.next() {
            case .change(let change, let event):
                if event.isReported, _slowPath(EngineTrace.isOn) { inbox.traceTaking(event) }
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
