// Changes that overlap, or are made on the way: the chain of 3.5, and what 3.4 says of silent ones.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Changes that overlap")
struct OverlappingChangeTests {
    private let sheet = Worksheet()
    private let log = Log()

    @Test(
        "3.4 A didChangeValue that a handler calls waits until the change under way has reached everybody",
        arguments: [false, true])
    func didInsideAHandler(isByHand: Bool) {
        let tokens = [
            sheet.observe(\.b) { sheet, _ in if sheet.b == 1 { sheet.didChangeValue(for: \.a) } },
            sheet.observe(\.a) { sheet, _ in sheet.b = 2 },
            sheet.observe(\.b, options: [.old, .new]) { [log] sheet, change in
                log.add(change)
                #expect(sheet.b == change.newValue)
            },
        ]
        sheet.willChangeValue(for: \.a)
        if isByHand { sheet.changeValue(for: \.b) { sheet.b = 1 } } else { sheet.b = 1 }
        #expect(log.take() == ["0→1", "1→2"])
        withExtendedLifetime(tokens) {}
    }

    // #74 #150 #153
    @Test(
        "3.5 However pairs overlap, olds and news form one chain that ends at the value",
        arguments: [
            "will a, will b, a, b, did a, did b", "will a, will b, a, b, did b, did a",
            "will a, a, will b, b, did a, did b", "will a, a, will b, did a, b, did b",
            "will b, will a, a, did a, b, did b", "will a, b, a, did a", "will a, a, b, did a",
            "will a, will sum, a, b, did a, did sum", "will sum, will a, a, b, did sum, did a",
            "will sum, a, will b, b, did sum, did b",
        ])
    func overlapping(script: String) {
        let (a, b, sum, path) = (Chain<Int>(), Chain<Int>(), Chain<Int>(), Chain<Int?>())
        let binder = Worksheet()
        binder.next = sheet
        let tokens = [
            sheet.observe(\.sum) { sum.add($1) }, sheet.observe(\.a) { a.add($1) }, sheet.observe(\.b) { b.add($1) },
            binder.observe(\.next?.sum) { path.add($1) },
        ]
        for first in [0, 3] { run(script, after: first) }
        #expect(a.breaks(from: 0, to: 4) == "")
        #expect(b.breaks(from: 0, to: 5) == "")
        #expect(sum.breaks(from: 0, to: 9) == "")
        #expect(path.breaks(from: 0, to: 9) == "")
        withExtendedLifetime(tokens) {}
    }

    private func run(_ script: String, after first: Int) {
        for step in script.split(separator: ", ") {
            switch step {
            case "a": sheet.a = first + 1
            case "b": sheet.b = first + 2
            default:
                let keyPath = step.hasSuffix(" a") ? \Worksheet.a : step.hasSuffix(" b") ? \.b : \.sum
                if step.hasPrefix("will") {
                    sheet.willChangeValue(for: keyPath)
                } else {
                    sheet.didChangeValue(for: keyPath)
                }
            }
        }
    }

    @Test("3.5 A getter that sets the changing property leaves its observers with the value it has")
    func overrideThatSets() {
        let (sheet, a, sum) = (EvenSheet(), Chain<Int>(), Chain<Int>())
        let tokens = [sheet.observe(\.a) { a.add($1) }, sheet.observe(\.sum) { sum.add($1) }]
        sheet.a = 1
        #expect(sheet.a == 2 && a.breaks(from: 0, to: 2) == "" && sum.breaks(from: 0, to: 2) == "")
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "3.4 4.2 What a handler changes that nobody observes, by a view too, or that is silent leaves the rest alone",
        arguments: 0..<3)
    func silent(way: Int) {
        let tokens = [
            sheet.observe(\.a) { [log] sheet, _ in
                switch way {
                case 0: sheet.b = 1
                case 1: sheet.mutable(\.items).append("x")
                default: sheet.quiet = 1
                }
                log.add("first")
            },
            sheet.observe(\.a) { [log] _, _ in log.add("second") },
            sheet.observe(\.quiet) { [log] _, _ in log.add("quiet") },
        ]
        // These have had observers before.
        sheet.observe(\.items) { _, _ in }.invalidate()
        sheet.a = 1
        #expect(log.take() == ["first", "second"])
        withExtendedLifetime(tokens) {}
    }
}

/// Makes a number even when it is read.
private final class EvenSheet: Worksheet {
    override var a: Int {
        get {
            if !super.a.isMultiple(of: 2) { super.a += 1 }
            return super.a
        }
        set { super.a = newValue }
    }
}
