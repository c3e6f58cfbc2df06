// The bracket of a change (P3): opened, stored and closed; the participants (P5), and the waiting evaluations (P4).
import KeyValueObserving

extension ProgramModel {
    /// The elements that a change concerns, if it is one of elements.
    struct Elements {
        let kind: KeyValueChange
        var indexes: [Int]?
        var old: ProgramEvent.Value?
        var new: ProgramEvent.Value?
    }

    /// A change that has begun and not ended.
    final class Bracket {
        let source: Source
        /// Registrations with a later number take no part.
        let newest: Int
        /// What the property was.
        let old: ProgramEvent.Value
        let isAnnounced: Bool
        /// How many changes that were announced inside it have not ended.
        var nested = 0
        /// Whether the property was set inside it.
        var isJoined = false

        init(_ source: Source, _ newest: Int, old: ProgramEvent.Value, isAnnounced: Bool = false) {
            self.source = source
            self.newest = newest
            self.old = old
            self.isAnnounced = isAnnounced
        }
    }

    /// What one observer is to get.
    final class Call {
        let member: Member
        /// The property that changed; of several, the first one.
        let source: Source
        let elements: Elements?
        /// What a transaction did to the elements.
        let steps: [Elements]
        let isPrior: Bool
        /// The property's old value; nil for an observer whose old value is the last delivered one.
        let old: ProgramEvent.Value?
        let new: ProgramEvent.Value?
        /// The place of what changed among all that changed in a transaction.
        let place: Int
        var isMade = false

        init(
            member: Member, source: Source, elements: Elements?, steps: [Elements] = [], isPrior: Bool = false,
            old: ProgramEvent.Value?, new: ProgramEvent.Value?, place: Int = 0
        ) {
            (self.member, self.source, self.elements, self.steps) = (member, source, elements, steps)
            (self.isPrior, self.old, self.new, self.place) = (isPrior, old, new, place)
        }
    }

    /// Delivers a change: makes the calls that are not made meanwhile.
    func deliver(_ calls: [Call]) {
        let calls = calls.sorted { ($0.place, $0.member.number) < ($1.place, $1.member.number) }
        underWay.append(calls)
        for call in calls where !call.isMade {
            call.isMade = true
            notify(call)
        }
        underWay.removeLast()
    }

    /// Makes the calls that are left of what a change of a property concerns, outermost first (P3).
    func complete(for source: Source) {
        if paths(at: source).isEmpty { return }
        func isLeft(_ call: Call) -> Bool {
            !call.isMade && call.member.path.isConcerned(by: source)
        }
        while let left = underWay.lazy.map({ $0.filter(isLeft) }).first(where: { !$0.isEmpty }) { deliver(left) }
    }

    /// The paths at a property and those that read it last.
    private func paths(at source: Source) -> [Path] { paths.values.filter { $0.isConcerned(by: source) } }

    /// Makes a change in one call.
    func change(_ source: Source, _ elements: Elements? = nil, apply: (inout Object) -> Void) {
        complete(for: source)
        if let outer = open[source] {
            outer.isJoined = true
            return apply(&objects[source.object])
        }
        if paths(at: source).isEmpty { return apply(&objects[source.object]) }
        let bracket = Bracket(source, newestNumber, old: value(of: source))
        var elements = elements
        open[source] = bracket
        if elements != nil || transaction?.takesSetting(of: source, upTo: newestNumber) != true {
            deliver(calls(of: bracket, elements, isPrior: true))
        }
        // What a handler sets then belongs to the change, which is one of the whole.
        if bracket.isJoined { elements = nil }
        apply(&objects[source.object])
        close(bracket, elements)
    }

    func will(_ source: Source) {
        complete(for: source)
        if let outer = open[source] {
            outer.nested += 1
            outer.isJoined = true
            return
        }
        // Nothing is recorded without observers.
        if paths(at: source).isEmpty { return }
        let bracket = Bracket(source, newestNumber, old: value(of: source), isAnnounced: true)
        open[source] = bracket
        deliver(calls(of: bracket, nil, isPrior: true))
    }

    func did(_ source: Source) {
        guard let bracket = open[source], bracket.isAnnounced || bracket.nested > 0 else { return }
        if bracket.nested > 0 {
            bracket.nested -= 1
            return
        }
        complete(for: source)
        // What was completed may have ended it, and begun another one: then this is a surplus one.
        if open[source] === bracket { close(bracket, nil) }
    }

    private func close(_ bracket: Bracket, _ elements: Elements?) {
        open[bracket.source] = nil
        guard let transaction else { return deliver(calls(of: bracket, elements, isPrior: false)) }
        transaction.note(
            bracket.source, paths(at: bracket.source).map { ($0, leaf(of: $0) == bracket.source) },
            Transaction.Step(
                newest: bracket.newest, elements: elements, old: bracket.old, new: value(of: bracket.source)))
    }

    /// The observers called before a change, or after it; then dependents of the property are evaluated.
    private func calls(of bracket: Bracket, _ elements: Elements?, isPrior: Bool) -> [Call] {
        paths(at: bracket.source).flatMap { path -> [Call] in
            let isLeaf = leaf(of: path) == bracket.source
            let new = isPrior ? nil : isLeaf ? value(of: bracket.source) : evaluate(path)
            if isLeaf, let new { path.value = new }
            return path.members.filter { member in
                guard member.number <= bracket.newest else { return false }
                guard isPrior else { return true }
                return member.registration.options.contains(.prior)
                    // One for each in a transaction.
                    && transaction?.priors.insert(member.number).inserted ?? true
            }.map {
                Call(
                    member: $0, source: bracket.source, elements: path.isDirect || isLeaf ? elements : nil,
                    isPrior: isPrior,
                    old: path.isDirect ? bracket.old : nil, new: new)
            }
        }
    }

    /// What changes of elements make of a value; nil if they do not fit.
    func applying(_ steps: [Elements], to value: ProgramEvent.Value) -> ProgramEvent.Value? {
        steps.reduce(value) { value, step in value.flatMap { applying(step, to: $0) } }
    }

    private func applying(_ elements: Elements, to value: ProgramEvent.Value) -> ProgramEvent.Value? {
        switch value {
        case .items(var items):
            let places = elements.indexes ?? []
            let new = if case .items(let new)? = elements.new { new } else { [] as [Int] }
            if elements.kind == .insertion {
                for (place, item) in zip(places, new) {
                    guard place <= items.count else { return nil }
                    items.insert(item, at: place)
                }
                return .items(items)
            }
            guard let old = elements.old, places.allSatisfy(items.indices.contains),
                .items(places.map { items[$0] }) == old
            else { return nil }
            if elements.kind == .removal {
                return .items(items.indices.filter { !places.contains($0) }.map { items[$0] })
            }
            for (place, item) in zip(places, new) { items[place] = item }
            return .items(items)
        case .members(let members):
            let old = if case .members(let old)? = elements.old { old } else { [] as Set<Int> }
            let new = if case .members(let new)? = elements.new { new } else { [] as Set<Int> }
            return old.isSubset(of: members) && new.isDisjoint(with: members)
                ? .members(members.subtracting(old).union(new)) : nil
        default: return nil
        }
    }
}
