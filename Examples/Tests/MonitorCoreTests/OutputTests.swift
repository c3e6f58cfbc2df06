// Units, columns and colors.
import KeyValueObserving
import MonitorCore
import Testing

@Suite struct OutputTests {
    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
            (3_328_599_654, "3.1 GiB"), (1 << 40, "1.0 TiB"), (.max, "16.0 EiB"),
        ] as [(UInt64, String)])
    func `sizes have binary units`(size: UInt64, text: String) {
        #expect(Units.bytes(size) == text)
    }

    @Test(arguments: [(0, "0.0 %"), (0.1234, "12.3 %"), (0.99999, "100.0 %"), (1, "100.0 %"), (0.0005, "0.1 %")])
    func `fractions are told in per cent`(fraction: Double, text: String) {
        #expect(Units.percent(fraction) == text)
    }

    @Test(arguments: [(0, "0.00"), (0.5, "0.50"), (0.06, "0.06"), (12.345, "12.35"), (1e300, "1e+300")])
    func `load averages have two decimals`(average: Double, text: String) {
        #expect(Units.load(average) == text)
    }

    @Test func `labels stand in a column`() {
        #expect(Line("load", "1").rendered(colored: false) == "  load                 1")
        #expect(Line(heading: "summary").rendered(colored: false) == "summary")
    }

    @Test func `a line that is too long goes on below its text`() {
        let line = Line("the label of a line", "one two  three", .alarm)
        #expect(line.wrapped(to: 37) == [line])
        #expect(line.wrapped(to: 36).map(\.text) == ["one two ", "three"])
        #expect(line.wrapped(to: 36).map(\.label) == ["the label of a line", ""])
        #expect(line.wrapped(to: 36).allSatisfy { $0.style == .alarm })
        #expect(Line("", "one 0123456789abcdef").wrapped(to: 31).map(\.text) == ["one", "01234567", "89abcdef"])
        #expect(Line("a label that is wide itself", "0 1 2 3 4 5").wrapped(to: 39).map(\.text) == ["0 1 2 3", "4 5"])
        #expect(Line(heading: "a heading").wrapped(to: 1) == [Line(heading: "a heading")])
    }

    @Test func `color is for what stands out`() {
        #expect(Line("load", "1").rendered(colored: true) == "  load                 1")
        #expect(Line(heading: "summary").rendered(colored: true) == "\u{1B}[1msummary\u{1B}[0m")
        #expect(
            Line("alarm", "!", .alarm).rendered(colored: true) == "\u{1B}[31m  alarm                !\u{1B}[0m")
    }

    @Test func `a process's name cannot command the terminal`() {
        #expect(Line("load", "\u{1B}[2J\n").rendered(colored: false) == "  load                 ?[2J?")
    }

    @Test func `many elements are shortened, and their positions`() {
        let pids = Array(0..<9)
        let change = KeyValueObservedChange(
            kind: .insertion, newValue: pids, indexes: RangeSet(pids.map { 2 * $0..<2 * $0 + 1 }),
            keyPath: \Machine.processes)
        #expect(change.elementsText { $0.map { "p\($0)" } } == "+ [0, 2, 4, 6, …] p0, p1, p2, p3, and 5 more")
    }

    @Test func `a removal shows the old elements, and a setting none`() {
        let removal = KeyValueObservedChange(
            kind: .removal, oldValue: ["sh"], indexes: RangeSet(3..<4), keyPath: \Machine.processes)
        #expect(removal.elementsText { $0 } == "- [3] sh")
        let setting = KeyValueObservedChange(
            kind: .setting, oldValue: [], newValue: ["sh"], keyPath: \Machine.processes)
        #expect(setting.elementsText { $0 } == nil)
    }
}
