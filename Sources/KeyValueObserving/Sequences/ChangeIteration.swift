// One iteration over changes.

/// Wakes an iteration when something has come.
private final class IterationSignal<Value: Sendable>: InboxDelivery {
    private enum State {
        /// Nobody waits, and nothing has come since somebody last waited.
        case idle
        case signaled
        case waiting(ContiguousArray<CheckedContinuation<Void, Never>>)
    }

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

    init<Object: KeyValueObservable>(
        over subject: ObservedSubject<Object, Value>, of object: Object, _ request: ElsewhereRequest,
        ofWholes isOfWholes: Bool
    ) {
        signal = IterationSignal()
        (observation, inbox) = object.registerInbox(subject, request, ofWholes: isOfWholes, signal)
    }

    /// The next change; nil when the object is gone and nothing waits, and once the task has been canceled.
    func next(isolation: isolated (any Actor)?) async -> KeyValueObservedChange<Value>? {
        if Task.isCancelled { observation.invalidate() }
        while true {
            switch inbox.next() {
            case .change(let change): return change
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

/// What a sequence iterates over, when it is iterated over.
protocol IterationSource<Value>: Sendable {
    associatedtype Value: Sendable

    /// A new iteration; nil if the object is gone.
    func iterate() -> ChangeIteration<Value>?
}

/// A key path or an expression of an object, which is held weakly.
///
/// It is used where an iterator is made; that the object may be read there is up to whoever makes it.
struct ObservedSource<Object: KeyValueObservable, Value: Sendable>: IterationSource, @unchecked Sendable {
    private weak let object: Object?
    private let subject: ObservedSubject<Object, Value>
    private let request: ElsewhereRequest
    private let isOfWholes: Bool
    /// The actor that the object belongs to, if that is known.
    private let isolation: (any Actor)?

    init(
        _ subject: ObservedSubject<Object, Value>, of object: Object, _ request: ElsewhereRequest,
        ofWholes isOfWholes: Bool,
        isolation: (any Actor)?
    ) {
        self.isolation = isolation
        self.object = object
        self.subject = subject
        self.request = request
        self.isOfWholes = isOfWholes
    }

    func iterate() -> ChangeIteration<Value>? {
        guard let object else { return nil }
        isolation?.checkIsCurrent {
            """
            \(subject.name) of \(TypeName.of(object)) belongs to \(isolation.map { TypeName.of($0) } ?? ""), \
            and an iterator over its \(request.recipient), asked for at \(request.fileID):\(request.line), was made \
            outside it. Iterate in a task of that actor, and send the values on from there.
            """
        }
        return ChangeIteration(over: subject, of: object, request, ofWholes: isOfWholes)
    }
}
