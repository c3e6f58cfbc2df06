// Somebody who observes each of several parts in a combining program.
import KeyValueObserving

/// An observation of the level of each part that another part has.
///
/// It checks that exactly those parts are observed that are there (16.4), that each arrives before it changes, that what
/// comes of one is a chain (3.5), and that nothing comes after the end (9.3) or inside a transaction (10.2).
final class CombinedEachWatcher {
    enum Event {
        case arrival(CombinedPart)
        case departure(CombinedPart)
        case change(CombinedPart, KeyValueObservedChange<Int>)
    }

    let number: Int
    private(set) weak var owner: CombinedPart?
    private(set) var failure: String?
    /// How often its handlers may act.
    private var acts: Int
    private var hasEnded = false
    /// Whether the registration is being made: what is there arrives, and its handlers cannot end it yet.
    private var isBeginning = true
    private var endsAtOnce = false
    private var token: KeyValueObservation?
    /// The parts that have arrived and not left, with the level that each had when it changed last, if that is known.
    private var levels: [ObjectIdentifier: Int?] = [:]

    init(_ number: Int, _ owner: CombinedPart, acts: Int) {
        self.number = number
        self.owner = owner
        self.acts = acts
    }

    func begin(with token: KeyValueObservation) {
        self.token = token
        isBeginning = false
        if endsAtOnce { end() }
    }

    /// Ends it; what is released by that may act.
    func end() {
        if isBeginning {
            endsAtOnce = true
            return
        }
        let token = token
        self.token = nil
        // A token ends its registration when it is released, too; what that releases may act.
        if number.isMultiple(of: 2) { token?.invalidate() }
        hasEnded = true
        withExtendedLifetime(token) {}
    }

    /// - Returns: Whether its handler acts.
    func receive(_ event: Event, isInsideTransaction: Bool) -> Bool {
        if hasEnded { fail("9.3 called after its end", event) }
        if isInsideTransaction, !isBeginning { fail("10.2 called inside a transaction", event) }
        switch event {
        case .arrival(let part):
            if levels.updateValue(nil, forKey: ObjectIdentifier(part)) != nil { fail("16.4 it is there", event) }
        case .departure(let part):
            if levels.removeValue(forKey: ObjectIdentifier(part)) == nil { fail("16.4 it is not there", event) }
        case .change(let part, let change):
            switch levels[ObjectIdentifier(part)] {
            case nil: fail("16.4 it is not there", event)
            case let level??:
                if level != change.oldValue { fail("3.5 the chain is broken after \(level)", event) }
            case .some(nil): break
            }
            levels[ObjectIdentifier(part)] = .some(change.newValue)
        }
        guard acts > 0 else { return false }
        acts -= 1
        return true
    }

    private func fail(_ promise: String, _ event: Event) {
        failure = failure ?? "\(promise): \(event)"
    }

    /// What is wrong, now that no change is open; nil if nothing is.
    var failureWhenQuiet: String? {
        if let failure { return "\(self): \(failure)" }
        guard let owner, !hasEnded else { return nil }
        let parts = owner.parts
        if Set(parts.map { ObjectIdentifier($0) }) != Set(levels.keys) {
            return "\(self): 16.4 \(levels.count) are observed, there are \(parts.map(\.age))"
        }
        for part in parts {
            if let level = levels[ObjectIdentifier(part)] ?? nil, level != part.level {
                return "\(self): 16.4 the last call brought the level \(level) of \(part.age), and it is \(part.level)"
            }
        }
        return nil
    }
}

extension CombinedEachWatcher: CustomStringConvertible {
    var description: String { "\(number) each part of \(owner.map { "\($0.age)" } ?? "nobody")" }
}

extension CombinedEachWatcher.Event: CustomStringConvertible {
    var description: String {
        switch self {
        case .arrival(let part): "\(part.age) arrives"
        case .departure(let part): "\(part.age) leaves"
        case .change(let part, let change): "level of \(part.age): \(change)"
        }
    }
}
