// Observing what an expression reads, beside the cells and principles.
import KeyValueObserving
import TestSupport
import Testing

@Suite("16.2 C21 What an expression reads")
struct ExpressionTests {
    private let kept = Kept()
    private let sheet = Worksheet()
    private let log = Log()

    @Test(
        "16.2 5.2 Its dependencies may change with each evaluation, even to other objects; an equal value is delivered")
    func branches() {
        sheet.a = 2
        sheet.observe(reading: { $0.quiet == 1 ? 0 : $0.a * ($0.next?.b ?? 1) }, options: .new) { [log] in
            log.add($1)
        }.store(in: kept)
        let next = Worksheet()
        sheet.next = next
        next.b = 4
        next.b = 4
        sheet.b = 9
        sheet.changeValue(for: \.quiet) { sheet.quiet = 1 }
        sheet.a = 9
        next.b = 5
        #expect(log.take() == ["·→0", "·→8", "·→8", "·→0"])
        sheet.changeValue(for: \.quiet) { sheet.quiet = 0 }
        #expect(log.take() == ["·→45"])
    }

    @Test("16.2 1.3 2.4 What it sets when it is registered is not delivered to it", arguments: [false, true])
    func setsAtFirst(inTransaction: Bool) {
        sheet.a = 9
        func register() {
            sheet.observe(reading: \.limited, options: [.initial, .prior, .old, .new]) { [log] in
                log.add($1)
            }.store(in: kept)
        }
        if inTransaction { withKeyValueTransaction(register) } else { register() }
        #expect(sheet.a == 5 && log.take() == ["·→5"])
        sheet.a = 4
        #expect(log.take() == ["prior 5→·", "5→4"])
    }

    @Test("16.2 It has no key path, and the listing says where it was made")
    func names() {
        sheet.observe(reading: { $0.a }, options: .new, fileID: "App/Sheet.swift", line: 7) { [log] _, change in
            log.add(change.keyPath == \Worksheet.self ? change.description : "?")
        }.store(in: kept)
        #expect(!sheet.isObserved(\.a) && !sheet.isObserved(\.self))
        let name = "the expression at App/Sheet.swift:7"
        #expect(sheet.observationInfo.map { "\($0.keyPath) \($0.fileID):\($0.line)" } == ["\(name) App/Sheet.swift:7"])
        sheet.a = 1
        #expect(log.take() == ["setting of \(name), → 1"])
    }

    @Test("16.2 1.4 Reading nothing observable traps with a sentence that says where")
    func nothing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Worksheet().observe(reading: { _ in 1 }, fileID: "App/Sheet.swift", line: 3) { _, _ in }
        }
        let sentence =
            "the expression at App/Sheet.swift:3 cannot be observed: it reads no @Observed property of the Worksheet"
        #expect(words(sentence, missingIn: message(of: result)) == [])
    }
}
