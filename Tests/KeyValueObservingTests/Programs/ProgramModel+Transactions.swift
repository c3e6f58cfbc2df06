// Transactions: what was touched, delivered at the end (10.2, 10.3).
import KeyValueObserving

extension ProgramModel {
    /// What was changed in a transaction, in the order of the first changes.
    final class Transaction {
        struct Step {
            let newest: Int
            let elements: Elements?
            let old: ProgramEvent.Value
            let new: ProgramEvent.Value
            /// Its number among the changes.
            var place = 0
        }

        struct Touched {
            let path: Path
            /// The property that touched it first.
            let source: Source
            /// The changes that it depends on.
            var steps: [Step] = []
            /// Whether they are all of the elements that it ends at, or of its own.
            var isOfElements = true
        }

        /// Registrations with a later number were made inside.
        let newestBefore: Int
        private(set) var touched: [Touched] = []
        private var changes = 0
        /// The observers called before a change, by number.
        var priors: Set<Int> = []
        /// The last step of each property.
        private var last: [Source: Step] = [:]

        init(newestBefore: Int) {
            self.newestBefore = newestBefore
        }

        /// Whether a set belongs to the last step of a property, which may have begun before the transaction.
        func takesSetting(of source: Source, upTo newest: Int) -> Bool {
            last[source].map { $0.elements == nil && newest <= $0.newest } ?? false
        }

        func note(_ source: Source, _ paths: [(path: Path, isAtEnd: Bool)], _ step: Step) {
            changes += 1
            var step = step
            step.place = changes
            last[source] = step
            for (path, isAtEnd) in paths {
                let index = touched.firstIndex { $0.path === path } ?? touched.endIndex
                if index == touched.endIndex { touched.append(Touched(path: path, source: source)) }
                touched[index].steps.append(step)
                touched[index].isOfElements =
                    touched[index].isOfElements && step.elements != nil && (path.isDirect || isAtEnd)
                    && touched[index].source == source
            }
        }
    }

    func perform(inTransaction operations: [ProgramOperation]) {
        guard transaction == nil else { return operations.forEach(perform) }
        let transaction = Transaction(newestBefore: newestNumber)
        self.transaction = transaction
        operations.forEach(perform)
        self.transaction = nil
        deliver(
            transaction.touched.flatMap { touched -> [Call] in
                // It has ended.
                guard paths[touched.path.source] === touched.path else { return [] }
                let isAtEnd = touched.path.isDirect || touched.isOfElements && leaf(of: touched.path) == touched.source
                // At its end it is not evaluated, as outside of transactions.
                let new = touched.path.isDirect || isAtEnd ? value(of: touched.source) : evaluate(touched.path)
                if isAtEnd { touched.path.value = new }
                return touched.path.members.compactMap {
                    call(of: touched, for: $0, new, isAtEnd: isAtEnd && $0.number <= transaction.newestBefore)
                }
            })
    }

    /// What an observer gets: one change of elements as it is, and several steps as one setting.
    private func call(
        of touched: Transaction.Touched, for member: Member, _ new: ProgramEvent.Value, isAtEnd: Bool
    ) -> Call? {
        let steps = touched.steps.drop { $0.newest < member.number }
        guard let first = steps.first else { return nil }
        let isOfElements = steps.count == touched.steps.count && touched.isOfElements && isAtEnd
        let elements = isOfElements ? steps.compactMap(\.elements) : []
        return Call(
            member: member, source: touched.source, elements: elements.count == 1 ? elements[0] : nil,
            steps: elements.count > 1 ? elements : [], old: touched.path.isDirect ? first.old : nil,
            new: touched.path.isDirect ? steps.last?.new : new, place: first.place)
    }
}
