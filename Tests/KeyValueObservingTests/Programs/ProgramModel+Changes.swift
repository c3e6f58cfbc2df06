// The bracket of a change (P3): opened, stored and closed; who takes part (P5), and what waits (P4).
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
        /// What is observed at the announced key path, if that is evaluated.
        let own: Path?
        let isAnnounced: Bool
        /// How many changes that were announced inside it have not ended.
        var nested = 0
        /// Whether the property was set inside it.
        var isJoined = false

        init(_ source: Source, _ newest: Int, old: ProgramEvent.Value, own: Path? = nil, isAnnounced: Bool = false) {
            self.source = source
            self.newest = newest
            self.old = old
            self.own = own
            self.isAnnounced = isAnnounced
        }
    }

    /// A change on its way to its observers.
    final class Delivery {
        struct Call {
            let member: Member
            /// The property that changed; of several, the first one.
            let source: Source
            var elements: Elements?
            var isPrior = false
            /// What the property was; nil for who gets what it was told last.
            var old: ProgramEvent.Value?
            var new: ProgramEvent.Value?
            /// The place of what changed among all that changed in a transaction.
            var place = 0
        }

        private var calls: [Call]

        init(_ calls: [Call]) {
            // What concerns one observer keeps its order.
            self.calls =
                calls.enumerated().sorted {
                    ($0.element.place, $0.element.member.number, $0.offset)
                        < ($1.element.place, $1.element.member.number, $1.offset)
                }.map(\.element)
        }

        /// Takes the calls to the next member.
        func next() -> [Call]? {
            guard let member = calls.first?.member else { return nil }
            return take { $0.member === member }
        }

        /// Takes the calls of the first change of which something is true for some.
        func part(where isConcerned: (Call) -> Bool) -> [Call] {
            guard let place = calls.first(where: isConcerned)?.place else { return [] }
            return take { $0.place == place && isConcerned($0) }
        }

        private func take(where isTaken: (Call) -> Bool) -> [Call] {
            defer { calls.removeAll(where: isTaken) }
            return calls.filter(isTaken)
        }
    }

    func deliver(_ calls: [Delivery.Call]) {
        let delivery = Delivery(calls)
        underWay.append(delivery)
        while let calls = delivery.next() { notify(calls) }
        underWay.removeLast()
    }

    /// Makes the calls that are left of what a change of a property concerns, outermost first, each time as a delivery of
    /// its own (P3).
    func complete(for source: Source) {
        if paths(at: source).isEmpty { return }
        func isConcerned(_ call: Delivery.Call) -> Bool {
            call.source == source || call.member.path.isConcerned(by: source)
        }
        while let part = underWay.lazy.map({ $0.part(where: isConcerned) }).first(where: { !$0.isEmpty }) {
            deliver(part)
        }
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

    /// What is observed at the very key path of an announced change, if it is evaluated.
    private func announcedPath(at source: Source) -> Path? { paths[source].flatMap { $0.isDirect ? nil : $0 } }

    func will(_ source: Source) {
        if open[source] == nil { announcedPath(at: source)?.isAnnounced = true }
        complete(for: source)
        if let outer = open[source] {
            outer.nested += 1
            outer.isJoined = true
            return
        }
        // Nothing is noted where nobody observes.
        if paths(at: source).isEmpty { return }
        let own = announcedPath(at: source)
        own?.isAnnounced = true
        let bracket = Bracket(source, newestNumber, old: value(of: source), own: own, isAnnounced: true)
        open[source] = bracket
        deliver(calls(of: bracket, nil, isPrior: true))
        guard open[source] === bracket, let own else { return }
        own.isHeld = true
        transaction?.endSteps(of: own.dependencies)
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
        bracket.own?.isHeld = false
        transaction?.endSteps(of: bracket.own?.dependencies ?? [])
        open[bracket.source] = nil
        guard let transaction else { return deliver(calls(of: bracket, elements, isPrior: false)) }
        transaction.note(
            bracket.source, paths(at: bracket.source),
            Transaction.Step(
                newest: bracket.newest, elements: elements, old: bracket.old, new: value(of: bracket.source)))
    }

    /// Whether a path is to be evaluated: the newest registration that the changes concern; nil if it is held (P4).
    func turn(_ path: Path, upTo newest: Int) -> Int? {
        let newest = max(newest, path.dirty)
        path.dirty = path.isHeld ? newest : 0
        return path.isHeld ? nil : newest
    }

    /// Who is called before a change, or after it; then what depends on the property is evaluated.
    private func calls(of bracket: Bracket, _ elements: Elements?, isPrior: Bool) -> [Delivery.Call] {
        paths(at: bracket.source).flatMap { path -> [Delivery.Call] in
            if isPrior, path.isHeld { return [] }
            // What is not read from the property alone is told as a whole, and so is everything when a transaction ends.
            let isLeaf = leaf(of: path) == bracket.source && path.dirty == 0 && transaction == nil
            guard let newest = isPrior ? bracket.newest : turn(path, upTo: bracket.newest) else { return [] }
            let new = isPrior ? nil : isLeaf ? value(of: bracket.source) : evaluate(path)
            if isLeaf, let new { path.value = new }
            if !isPrior { path.pass(after: newest) }
            return path.members.filter { member in
                guard member.number <= newest else { return false }
                guard isPrior else { return true }
                return member.registration.options.contains(.prior)
                    // One for each in a transaction.
                    && transaction?.priors.insert(member.number).inserted ?? true
            }.map {
                Delivery.Call(
                    member: $0, source: bracket.source, elements: path.isDirect || isLeaf ? elements : nil,
                    isPrior: isPrior,
                    old: path.isDirect ? bracket.old : nil, new: new)
            }
        }
    }
}
