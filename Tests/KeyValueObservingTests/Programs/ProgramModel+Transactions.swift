// Transactions: what was touched, told at the end (10.2, 10.3).
import KeyValueObserving

extension ProgramModel {
    /// What was changed in a transaction, in the order of the first changes.
    final class Transaction {
        struct Step {
            let newest: Int
            let elements: Elements?
            let old: ProgramEvent.Value
            let new: ProgramEvent.Value
        }

        struct Touched {
            let path: Path
            /// The property that touched it first.
            let source: Source
            /// The number of the first change of the property that touched it first.
            let place: Int
            var newest = 0
            /// How a property changed, step by step.
            var steps: [Step] = []
        }

        private(set) var touched: [Touched] = []
        private var changes = 0
        /// The number of the first change of each property.
        private var places: [Source: Int] = [:]
        /// Who was called before a change, by number.
        var priors: Set<Int> = []
        /// The last step of each property.
        private var last: [Source: Step] = [:]

        /// Whether a set belongs to the last step of a property, which may have begun before the transaction.
        func takesSetting(of source: Source, upTo newest: Int) -> Bool {
            last[source].map { $0.elements == nil && newest <= $0.newest } ?? false
        }

        /// Has what is set next begin steps: whether what depends on it is held has changed.
        func endSteps(of sources: [Source]) { for source in sources { last[source] = nil } }

        func note(_ source: Source, _ paths: [Path], _ step: Step) {
            changes += 1
            last[source] = step
            let place = places[source] ?? changes
            places[source] = place
            for path in paths {
                let index = touched.firstIndex { $0.path === path } ?? touched.endIndex
                if index == touched.endIndex { touched.append(Touched(path: path, source: source, place: place)) }
                touched[index].newest = max(touched[index].newest, step.newest)
                touched[index].steps.append(step)
            }
        }
    }

    func perform(inTransaction operations: [ProgramOperation]) {
        guard transaction == nil else { return operations.forEach(perform) }
        let transaction = Transaction()
        self.transaction = transaction
        operations.forEach(perform)
        self.transaction = nil
        deliver(
            transaction.touched.flatMap { touched -> [Delivery.Call] in
                let path = touched.path
                // It has ended, or what was announced has not.
                guard paths[path.source] === path, let newest = turn(path, upTo: touched.newest) else { return [] }
                if path.isDirect {
                    return path.members.flatMap { calls(of: touched, for: $0) }
                }
                let new = evaluate(path)
                path.pass(after: newest)
                return path.members.filter { $0.number <= newest }.map {
                    Delivery.Call(member: $0, source: touched.source, new: new, place: touched.place)
                }
            })
    }

    /// The steps that concern an observer, consecutive settings as one.
    private func calls(of touched: Transaction.Touched, for member: Member) -> [Delivery.Call] {
        touched.steps.filter { member.number <= $0.newest }.reduce(into: []) { calls, step in
            if step.elements == nil, let last = calls.last, last.elements == nil {
                calls[calls.count - 1].new = step.new
            } else {
                calls.append(
                    Delivery.Call(
                        member: member, source: touched.source, elements: step.elements, old: step.old, new: step.new,
                        place: touched.place))
            }
        }
    }
}
