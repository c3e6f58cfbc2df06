// Somebody who observes all properties of a part in a combining program.
import KeyValueObserving

/// A registration at all properties of a part, with the values that they had when it was called last.
///
/// It checks that it is called after each change (16.3), and neither after its end (9.3) nor inside a transaction (10.2).
final class CombinedAnyWatcher {
    let number: Int
    private(set) weak var part: CombinedPart?
    private(set) var failure: String?
    /// How often its handler may act.
    private var acts: Int
    private var hasEnded = false
    private var token: KeyValueObservation?
    /// The values that it could read when it was called last; empty until no change is open that it is not told of.
    private var values: [CombinedSubject: ProgramEvent.Value] = [:]

    private let properties: [CombinedSubject: AnyKeyPath] = [
        .number: \CombinedPart.number, .level: \CombinedPart.level, .echo: \CombinedPart.echo,
        .tally: \CombinedPart.tally, .items: \CombinedPart.items, .members: \CombinedPart.members,
        .next: \CombinedPart.next, .manual: \CombinedPart.manual, .list: \CombinedPart.list,
        .group: \CombinedPart.group, .shared: \CombinedPart.shared, .sharedItems: \CombinedPart.sharedItems,
        .link: \CombinedPart.link, .byHand: \CombinedPart.byHand, .written: \CombinedPart.written,
        .writtenItems: \CombinedPart.writtenItems,
    ]

    init(_ number: Int, _ part: CombinedPart, acts: Int, isLate: Bool) {
        self.number = number
        self.part = part
        self.acts = acts
        if !isLate { readAll() }
    }

    func begin(with token: KeyValueObservation) { self.token = token }

    /// Ends it; what is released by that may act.
    func end() {
        // A token ends its registration when it is released, too.
        let token = token
        self.token = nil
        if number.isMultiple(of: 2) { token?.invalidate() }
        hasEnded = true
        withExtendedLifetime(token) {}
    }

    private func readAll() {
        for subject in properties.keys { read(subject) }
    }

    private func read(_ subject: CombinedSubject) {
        // An override of the number reads more than the property.
        guard let part, subject != .number || !(part is CombinedShiftedPart) else { return }
        values[subject] = subject.visit(CombinedReading(part: part))
    }

    /// No change is open: what changes from now on is announced to it.
    func becomeQuiet() {
        if values.isEmpty { readAll() }
    }

    /// - Returns: Whether its handler acts.
    func receive(_ keyPath: AnyKeyPath, isInsideTransaction: Bool) -> Bool {
        if hasEnded { failure = failure ?? "9.3 called after its end" }
        if isInsideTransaction { failure = failure ?? "10.2 called inside a transaction" }
        if !values.isEmpty, let subject = properties.first(where: { $0.value == keyPath })?.key { read(subject) }
        guard acts > 0 else { return false }
        acts -= 1
        return true
    }

    /// What is wrong, now that no change is open; nil if nothing is.
    var failureWhenQuiet: String? {
        if let failure { return "\(self): \(failure)" }
        guard let part, !hasEnded else { return nil }
        for (subject, value) in values {
            let current = subject.visit(CombinedReading(part: part))
            if current != value {
                return "\(self): 16.3 the last call found \(subject) to be \(value), and it is \(current)"
            }
        }
        return nil
    }
}

extension CombinedAnyWatcher: CustomStringConvertible {
    var description: String { "\(number) any property of \(part.map { "\($0.age)" } ?? "nobody")" }
}
