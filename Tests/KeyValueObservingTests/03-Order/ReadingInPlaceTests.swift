// Dependents of a property that is being accessed in place, or announced, are notified when the access ends: 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("P4 3.5 A property that is being accessed in place is not read")
struct ReadingInPlaceTests {
    @Test("3.5 4.2 A manual property, too, is not read, and neither is one that is checked, or left by a path")
    func reading() async {
        await #expect(processExitsWith: .success) {
            let (sheet, other, root) = (HiddenSheet(), Worksheet(), Worksheet())
            let (total, a, path) = (Chain<Int>(), Chain<Int>(), Chain<Int?>())
            (root.next, other.a) = (sheet, 7)
            let tokens = [
                sheet.observe(\.total) { total.add($1) }, sheet.observe(\.a) { a.add($1) },
                root.observe(\.next?.a) { path.add($1) },
            ]
            inPlace(&sheet.quiet) {
                sheet.b = 5
                $0 = 3
            }
            #expect(total.breaks(from: 0, to: 8) == "")
            inPlace(&sheet.a) {
                #expect(sheet.isObserved(\.a) && sheet.observationInfo.count == 2)
                $0 = 3
                root.next = other
            }
            #expect(a.breaks(from: 0, to: 3) == "" && path.breaks(from: 0, to: 7) == "")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 2.4 An access in a prior call of its own property's change, and one prior for a pair within an access")
    func priors() async {
        await #expect(processExitsWith: .success) {
            let (sheet, a, sum) = (Worksheet(), Chain<Int>(), Chain<Int>())
            let tokens = [
                sheet.observe(\.a, options: [.old, .new, .prior]) { sheet, change in
                    a.add(change)
                    guard change.isPrior, sheet.b == 0 else { return }
                    inPlace(&sheet.a) {
                        sheet.b = 5
                        $0 = 3
                    }
                },
                sheet.observe(\.sum) { sum.add($1) },
            ]
            sheet.a = 1
            #expect(a.breaks(from: 0, to: 1) == "" && sum.breaks(from: 0, to: 6) == "")
            let observers = WorksheetObservers("sum", [.old, .new, .prior])
            inPlace(&observers.sheet.a) {
                observers.sheet.willChangeValue(for: \.sum)
                $0 = 2
                observers.sheet.didChangeValue(for: \.sum)
            }
            #expect(observers.take() == ["sum prior 0→·", "sum 0→2"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 While the way to a collection is accessed in place, a change of its elements reads nothing on the way")
    func elements() async {
        await #expect(processExitsWith: .success) {
            let (root, sheet) = (Worksheet(), OverridingSheet())
            root.next = sheet
            var news: [[String]??] = []
            let token = root.observe(\.next?.items, options: .new) { news.append($1.newValue) }
            inPlace(&root.next) { _ in (sheet as Worksheet).mutable(\.items).append("x") }
            #expect(news == [["x"]])
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.6 3.5 A change that is announced before an access and ends inside keeps nothing; a surplus did is ignored")
    func didInside() {
        weak var weakSheet: Worksheet?
        do {
            let observers = WorksheetObservers("a")
            let sheet = observers.sheet
            weakSheet = sheet
            sheet.willChangeValue(for: \.a)
            for value in [3, 5] {
                inPlace(&sheet.a) {
                    $0 = value
                    sheet.didChangeValue(for: \.a)
                    $0 = value + 1
                }
            }
            #expect(observers.take() == ["a 0→4", "a 4→6"])
        }
        #expect(weakSheet == nil)
    }

    // MARK: Pairs

    /// Where the access lies in relation to the pair.
    enum Pair: CaseIterable {
        case within, beginsBefore, endsAfter

        /// Runs an access to `a` or `quiet`, and the pair of a key path.
        func run(
            _ sheet: Worksheet, _ keyPath: KeyPath<Worksheet, Int>, isQuiet: Bool, _ body: (inout Int) -> Void,
            late: () -> Void = {}
        ) {
            func access(_ stored: inout Int) {
                if self != .beginsBefore { sheet.willChangeValue(for: keyPath) }
                body(&stored)
                if self != .endsAfter { sheet.didChangeValue(for: keyPath) }
            }
            if self == .beginsBefore { sheet.willChangeValue(for: keyPath) }
            if isQuiet { access(&sheet.quiet) } else { access(&sheet.a) }
            if self == .endsAfter {
                late()
                sheet.didChangeValue(for: keyPath)
            }
        }
    }

    @Test(
        "3.5 4.2 A property whose pair overlaps an access to it is not read, and told once", arguments: [false, true])
    func ownProperty(isQuiet: Bool) async {
        await #expect(processExitsWith: .success) { [isQuiet] in
            for pair in Pair.allCases {
                let (sheet, log, total) = (HiddenSheet(), Log(), Chain<Int>())
                let keyPath = isQuiet ? \Worksheet.quiet : \.a
                let tokens = [
                    (sheet as Worksheet).observe(keyPath) { log.add($1) }, sheet.observe(\.total) { total.add($1) },
                ]
                for value in 1...2 { pair.run(sheet, keyPath, isQuiet: isQuiet) { $0 = value } }
                #expect(log.take() == ["0→1", "1→2"] && total.breaks(from: 0, to: 2) == "", "\(pair)")
                withExtendedLifetime(tokens) {}
            }
        }
    }

    @Test(
        "3.5 4.1 10.2 A computed property whose pair overlaps an access to what it reads is evaluated when that closes",
        arguments: [false, true])
    func computed(isTransaction: Bool) async {
        await #expect(processExitsWith: .success) { [isTransaction] in
            for pair in Pair.allCases {
                let (sheet, log) = (HiddenSheet(), Log())
                let token = (sheet as Worksheet).observe(\.sum) { log.add($1) }
                func run() {
                    pair.run(sheet, \.sum, isQuiet: false) {
                        $0 += 1
                        sheet.hidden += 10
                    } late: {
                        sheet.hidden += 10
                    }
                }
                if isTransaction { withKeyValueTransaction(run) } else { run() }
                let isTwice = pair == .endsAfter && !isTransaction
                #expect(log.take() == (isTwice ? ["0→11", "11→21"] : ["0→\(sheet.sum)"]), "\(pair)")
                withExtendedLifetime(token) {}
            }
        }
    }
}

/// Reads what cannot be seen, too.
private final class HiddenSheet: Worksheet {
    var hidden = 0
    var total: Int { a + b + quiet }
    override var sum: Int { super.sum + hidden }
}

private final class OverridingSheet: Worksheet {
    override var items: [String] {
        get { super.items }
        set { super.items = newValue }
    }
}
