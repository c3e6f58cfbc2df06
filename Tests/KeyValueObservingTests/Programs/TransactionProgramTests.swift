// Random programs with transactions: 10.2 to 10.4 and 7.5, checked by what must hold of each observer.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Random programs with transactions")
struct TransactionProgramTests {
    @Test(
        "10.2 10.3 7.5 Each observer is notified once of what changed, in one chain and in order; replaying gives the value",
        arguments: 1..<UInt64(isUnderThreadSanitizer ? 9 : 41))
    func programs(seed: UInt64) {
        let program = TransactionProgram(seed: seed)
        for step in 0..<300 {
            if let failure = program.step() {
                Issue.record("seed \(seed), step \(step): \(failure)")
                return
            }
        }
    }
}

/// A few cells that lead to one another.
private final class Cell: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var items: [Int] = []
    @Observed var next: Cell?
    var sum: Int { number * 100 + (next?.number ?? 0) }
}

/// What a cell's observer observes.
private enum Subject: CaseIterable {
    case number, items, sum, nextNumber
}

/// An observer, with the value it was notified of last.
private final class Observer {
    let subject: Subject
    let cell: Cell
    let number: Int
    var token: KeyValueObservation?
    var value: Int
    var items: [Int]
    /// The kinds of the changes since the last check.
    var kinds: [KeyValueChange] = []
    var failure: String?

    init(_ subject: Subject, of cell: Cell, _ number: Int) {
        self.subject = subject
        self.cell = cell
        self.number = number
        (value, items) = (0, [])
        (value, items) = (current, cell.items)
    }

    var current: Int {
        switch subject {
        case .number: cell.number
        case .items: 0
        case .sum: cell.sum
        case .nextNumber: cell.next?.number ?? -1
        }
    }

    func note(_ kind: KeyValueChange, old: Int, new: Int) {
        if old != value { failure = "\(subject) \(number) got \(old)→\(new) after \(value)" }
        value = new
        kinds.append(kind)
    }

    func note(_ change: KeyValueObservedChange<[Int]>) {
        if change.kind == .setting, change.oldValue != items {
            failure = "items \(number) got \(change) after \(items)"
        }
        change.apply(to: &items)
        kinds.append(change.kind)
    }
}

/// Performs random steps and checks the observers after each.
private final class TransactionProgram {
    private var generator: SplitMix
    private let cells = (0..<3).map { _ in Cell() }
    private var observers: [Observer] = []
    private var lastNumber = 0
    /// The observers in the order in which they were called.
    private var calls: [Observer] = []
    /// The numbers of the observers that must be called by the end of the step.
    private var expected: Set<Int> = []
    private var isCalledInside = false

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    deinit {
        for observer in observers { observer.token?.invalidate() }
        // The cells may lead to one another in circles.
        for cell in cells { cell.next = nil }
    }

    private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    /// - Returns: What does not hold; nil if all does.
    func step() -> String? {
        (calls, expected) = ([], [])
        for observer in observers { observer.kinds = [] }
        let isTransaction = number(3) > 0
        if isTransaction {
            withKeyValueTransaction {
                for _ in 0..<number(8) { perform() }
                if number(4) == 0 { withKeyValueTransaction { perform() } }
                isCalledInside = !calls.isEmpty
            }
        } else {
            perform()
        }
        return failure(isTransaction)
    }

    private func perform() {
        let index = number(cells.count)
        let cell = cells[index]
        switch number(12) {
        case 0..<3: set(index, .number) { cell.number = self.number(5) }
        case 3: set(index, .number) { cell.number += 1 }
        case 4: set(index, .items) { cell.items = [self.number(5), self.number(5)] }
        case 5: set(index, .items) { cell.mutable(\.items).append(self.number(9)) }
        case 6 where cell.items.count > 1: set(index, .items) { cell.mutable(\.items).remove(at: 0) }
        case 7 where cell.items.count > 2:
            set(index, .items) { cell.mutable(\.items).moveSubranges(RangeSet(0..<1), to: 3) }
        case 8: lead(index, to: number(4))
        case 9: observe(Subject.allCases[number(4)], of: cell)
        case 10 where !observers.isEmpty: observers.remove(at: number(observers.count)).token?.invalidate()
        default: set(index, .number) { cell.changeValue(for: \.number) { cell.number = 7 } }
        }
    }

    /// Makes a change, and notes who is to be notified: those who observe the property or what is computed from it.
    private func set(_ index: Int, _ subject: Subject, _ change: () -> Void) {
        let cell = cells[index]
        for observer in observers {
            let isConcerned =
                switch observer.subject {
                case .number, .items: observer.cell === cell && observer.subject == subject
                case .sum: subject == .number && (observer.cell === cell || observer.cell.next === cell)
                case .nextNumber: subject == .number && observer.cell.next === cell
                }
            if isConcerned { expected.insert(observer.number) }
        }
        change()
    }

    private func lead(_ index: Int, to next: Int) {
        for observer in observers
        where observer.cell === cells[index] && [.sum, .nextNumber].contains(observer.subject) {
            expected.insert(observer.number)
        }
        cells[index].next = next < cells.count ? cells[next] : nil
    }

    private func observe(_ subject: Subject, of cell: Cell) {
        lastNumber += 1
        let observer = Observer(subject, of: cell, lastNumber)
        switch subject {
        case .number: watch(observer, \.number) { $0 }
        case .sum: watch(observer, \.sum) { $0 }
        case .nextNumber: watch(observer, \.next?.number) { $0 ?? -1 }
        case .items:
            observer.token = cell.observe(\.items, options: [.old, .new]) { [unowned self, unowned observer] in
                calls.append(observer)
                observer.note($1)
            }
        }
        observers.append(observer)
    }

    private func watch<Value>(
        _ observer: Observer, _ keyPath: KeyPath<Cell, Value>, _ value: @escaping (Value) -> Int
    ) {
        observer.token = observer.cell.observe(keyPath, options: [.old, .new]) {
            [unowned self, unowned observer] _, change in
            calls.append(observer)
            observer.note(change.kind, old: value(change.requiredOldValue), new: value(change.requiredNewValue))
        }
    }

    private func failure(_ isTransaction: Bool) -> String? {
        if isCalledInside { return "somebody was called inside the transaction" }
        for observer in observers {
            if let failure = observer.failure { return failure }
            let isExpected = expected.contains(observer.number)
            if isExpected == observer.kinds.isEmpty {
                return "\(observer.subject) \(observer.number) expected \(isExpected)"
            }
            if observer.subject == .items ? observer.items != observer.cell.items : observer.value != observer.current {
                return "\(observer.subject) \(observer.number) does not have the value"
            }
            guard isTransaction else { continue }
            let settings = zip(observer.kinds, observer.kinds.dropFirst()).filter { $0 == .setting && $1 == .setting }
            if !settings.isEmpty { return "\(observer.subject) \(observer.number) got two settings in a row" }
        }
        guard isTransaction else { return nil }
        // All that concerns an observer comes in a row.
        var seen: [Observer] = []
        for call in calls where seen.last !== call {
            if seen.contains(where: { $0 === call }) { return "\(call.subject) \(call.number) was called again later" }
            seen.append(call)
        }
        return nil
    }
}
