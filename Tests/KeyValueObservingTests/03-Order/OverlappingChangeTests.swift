// Pairs by hand that overlap, and changes made on the way: the chain of 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Changes that overlap")
struct OverlappingChangeTests {
    private let sheet = Sheet()
    private let log = Log()

    @Test(
        "3.4 A didChangeValue that a handler calls waits until the change under way has reached everybody",
        arguments: [false, true])
    func didInsideAHandler(isByHand: Bool) {
        let tokens = [
            sheet.observe(\.right) { sheet, _ in
                if sheet.right == 1 { sheet.didChangeValue(for: \.left) }
            },
            sheet.observe(\.left) { sheet, _ in sheet.right = 2 },
            sheet.observe(\.right, options: [.old, .new]) { sheet, change in
                log.add(change)
                #expect(sheet.right == change.newValue)
            },
        ]
        sheet.willChangeValue(for: \.left)
        if isByHand { sheet.willChangeValue(for: \.right) }
        sheet.right = 1
        if isByHand { sheet.didChangeValue(for: \.right) }
        #expect(log.take() == ["0→1", "1→2"])
        withExtendedLifetime(tokens) {}
    }

    // #74 #150 #153
    @Test(
        "3.5 However pairs overlap, olds and news form one chain that ends at the value",
        arguments: [
            "will left, will right, left, right, did left, did right",
            "will left, will right, left, right, did right, did left",
            "will left, left, will right, right, did left, did right",
            "will left, left, will right, did left, right, did right",
            "will right, will left, left, did left, right, did right",
            "will left, right, left, did left",
            "will left, left, right, did left",
            "will left, will sum, left, right, did left, did sum",
            "will sum, will left, left, right, did sum, did left",
            "will sum, left, will right, right, did sum, did right",
        ])
    func overlapping(script: String) {
        let (left, right, sum, path) = (Chain<Int>(), Chain<Int>(), Chain<Int>(), Chain<Int?>())
        let binder = Binder()
        binder.sheet = sheet
        let tokens = [
            sheet.observe(\.sum, options: [.old, .new]) { sum.add($1) },
            sheet.observe(\.left, options: [.old, .new]) { left.add($1) },
            sheet.observe(\.right, options: [.old, .new]) { right.add($1) },
            binder.observe(\.sheet?.sum, options: [.old, .new]) { path.add($1) },
        ]
        for (steps, first) in [(script, 0), (script, 3)] { run(steps, after: first) }
        #expect(left.breaks(from: 0, to: 4) == "")
        #expect(right.breaks(from: 0, to: 5) == "")
        #expect(sum.breaks(from: 0, to: 9) == "")
        #expect(path.breaks(from: 0, to: 9) == "")
        withExtendedLifetime(tokens) {}
    }

    private func run(_ script: String, after first: Int) {
        for step in script.split(separator: ", ") {
            switch step {
            case "will left": sheet.willChangeValue(for: \.left)
            case "will right": sheet.willChangeValue(for: \.right)
            case "will sum": sheet.willChangeValue(for: \.sum)
            case "did left": sheet.didChangeValue(for: \.left)
            case "did right": sheet.didChangeValue(for: \.right)
            case "did sum": sheet.didChangeValue(for: \.sum)
            case "left": sheet.left = first + 1
            default: sheet.right = first + 2
            }
        }
    }

    @Test("3.5 A getter that sets the changing property leaves its observers with the value it has")
    func overrideThatSets() {
        let sheet = EvenSheet()
        let (left, sum) = (Chain<Int>(), Chain<Int>())
        let tokens = [
            sheet.observe(\.left, options: [.old, .new]) { left.add($1) },
            sheet.observe(\.sum, options: [.old, .new]) { sum.add($1) },
        ]
        sheet.left = 1
        #expect(sheet.left == 2)
        #expect(left.breaks(from: 0, to: 2) == "")
        #expect(sum.breaks(from: 0, to: 2) == "")
        withExtendedLifetime(tokens) {}
    }
}

private class Sheet: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var left = 0
    @Observed var right = 0
    var sum: Int { left + right }
}

/// Makes a number even when it is read.
private final class EvenSheet: Sheet {
    override var left: Int {
        get {
            if !super.left.isMultiple(of: 2) { super.left += 1 }
            return super.left
        }
        set { super.left = newValue }
    }
}

private final class Binder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var sheet: Sheet?
}
