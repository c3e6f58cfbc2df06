// 3.7: the recipients of a property are lent to one change at a time, and released once.
import KeyValueObserving
import Testing

/// What is lent, and how often such were made and released.
private final class Lent {
    private let counts: Counts

    final class Counts {
        var made = 0
        var released = 0
    }

    init(_ counts: Counts) {
        self.counts = counts
        counts.made += 1
    }

    deinit { counts.released += 1 }
}

/// A property with its loan.
@safe private final class Property {
    private final class Keeper {
        let loan = RecipientsLoan<Lent>()
    }

    private var keeper: Keeper? = Keeper()
    let counts = Lent.Counts()
    /// What each borrower has borrowed.
    private var borrowed: [Int: Unmanaged<Lent>] = unsafe [:]
    /// What the table is to release, without its lock.
    private var recalled: Unmanaged<Lent>?

    func borrow(_ borrower: Int) -> Bool {
        guard let lent = unsafe keeper?.loan.borrow() else { return false }
        unsafe borrowed[borrower] = lent
        return true
    }

    func giveBack(_ borrower: Int) {
        if let lent = unsafe borrowed.removeValue(forKey: borrower) { unsafe keeper?.loan.giveBack(lent) }
    }

    func keep() { keeper?.loan.keep(Lent(counts)) }

    func recall() { unsafe recalled = keeper?.loan.recall() }

    func release() {
        unsafe recalled?.release()
        unsafe recalled = nil
    }

    func check() -> String? {
        if unsafe borrowed.count > 1 { return "two have borrowed" }
        let held = unsafe borrowed.count + (unsafe recalled == nil ? 0 : 1)
        let living = counts.made - counts.released
        return living < held ? "what is borrowed was released" : living < 0 ? "something is released twice" : nil
    }

    private func lendsAgain() -> Bool {
        keep()
        defer { giveBack(0) }
        return borrow(0)
    }

    func checkAtEnd() -> String? {
        if !lendsAgain() { return "nothing is lent any more" }
        if keeper?.loan.current() == nil, counts.made != counts.released { return "what was recalled is not released" }
        keeper = nil
        return counts.made == counts.released ? nil : "made \(counts.made), released \(counts.released)"
    }
}

@Suite("3.7 Interleavings of a loan")
struct LoanInterleavings {
    private static func borrower(_ number: Int, times: Int = 2) -> [Step<Property>] {
        (0..<times).flatMap { time in
            [
                Step(choosing: "borrows") { $0.borrow(number) ? .next : .skip(to: 2 * time + 2) },
                Step("gives back") { $0.giveBack(number) },
            ]
        }
    }

    private static func table(keepingAgain isKeepingAgain: Bool) -> [Step<Property>] {
        let again: [Step<Property>] = isKeepingAgain ? [Step("keeps others") { $0.keep() }] : []
        let recall: [Step<Property>] = [Step("recalls") { $0.recall() }, Step("releases") { $0.release() }]
        return recall + again + (isKeepingAgain ? recall : [])
    }

    @Test(
        "3.7 Two changes and a table that forgets the recipients: one borrower at most, nothing leaks or goes twice",
        arguments: [false, true])
    func loan(isKeepingAgain: Bool) {
        var explorer = Explorer(
            threads: [Self.borrower(1), Self.borrower(2, times: 1), Self.table(keepingAgain: isKeepingAgain)]
        ) {
            let property = Property()
            property.keep()
            return property
        }
        explorer.afterEachStep = { $0.check() }
        explorer.atEnd = { $0.checkAtEnd() }
        #expect(explorer.explore().failure == nil)
    }

    @Test("3.7 Recipients that are kept while others are lent or overdue are let go at once")
    func keepingWhileLent() {
        let table: [Step<Property>] = [
            Step("keeps others") { $0.keep() }, Step("recalls") { $0.recall() }, Step("keeps others") { $0.keep() },
            Step("releases") { $0.release() }, Step("keeps others") { $0.keep() },
        ]
        var explorer = Explorer(threads: [Self.borrower(1), table]) {
            let property = Property()
            property.keep()
            return property
        }
        explorer.afterEachStep = { $0.check() }
        explorer.atEnd = { $0.checkAtEnd() }
        #expect(explorer.explore().failure == nil)
    }
}
