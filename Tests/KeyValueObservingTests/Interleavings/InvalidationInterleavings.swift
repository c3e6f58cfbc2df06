// 9.3: a token is ended on two threads at once, and a change is delivered meanwhile.
import KeyValueObserving
import Testing

/// What keeps one registration, and lets others go on in the middle of its removal.
private final class Keeper: RegistrationKeeper {
    private let state = Guarded((isActive: true, removals: 0))
    /// What other threads do at the two places where a removal takes no lock: before it and after it.
    let meanwhile = Guarded<[@Sendable () -> Void]>([])

    var isActive: Bool { state.withLock { $0.isActive } }
    var keyPath: AnyKeyPath? { nil }
    var hasEnded: Bool { false }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] { [] }

    func remove(_ number: RegistrationNumber) {
        goOn()
        state.withLock { $0 = (false, $0.removals + 1) }
        goOn()
    }

    private func goOn() {
        let next = meanwhile.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        next?()
    }
}

@Suite("9.3 Interleavings of invalidations")
struct InvalidationInterleavings {
    /// What one thread does in one go, as far as another one lets it.
    private enum Part: CaseIterable {
        case nothing, invalidation, delivery
    }

    private final class Token: Sendable {
        let keeper = Keeper()
        let observation: KeyValueObservation
        private let state = Guarded((hasReturned: false, problem: String?.none))

        init() { observation = KeyValueObservation(1, in: keeper) }

        var problem: String? { state.withLock { $0.problem } }

        func perform(_ part: Part) {
            switch part {
            case .nothing: break
            case .invalidation:
                observation.invalidate()
                state.withLock { $0.hasReturned = true }
            case .delivery:
                let starts = keeper.isActive
                state.withLock { if starts, $0.hasReturned { $0.problem = "a delivery starts" } }
            }
        }
    }

    @Test("9.3 Once either of two threads has returned from ending a token, no delivery starts")
    func twoThreads() {
        // The second thread's invalidation may find the first one's before its removal or after it, and the other way
        // round; a delivery comes at any place.
        var count = 0
        for places in 0..<81 {
            let parts = (0..<4).map { place in
                Part.allCases[(0..<place).reduce(places) { rest, _ in rest / 3 } % 3]
            }
            let token = Token()
            token.keeper.meanwhile.withLock { meanwhile in
                meanwhile = parts.map { part in
                    {
                        token.perform(part)
                        token.perform(.delivery)
                    }
                }
            }
            token.perform(.invalidation)
            token.perform(.delivery)
            token.keeper.meanwhile.withLock { $0 = [] }
            #expect(token.problem == nil, "\(parts)")
            #expect(token.observation.isInvalidated && !token.keeper.isActive)
            count += 1
        }
        #expect(count == 81)
    }
}
