// What a trap at registration says of a key path that cannot be observed: 1.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Advice for a key path that cannot be observed")
struct AdviceTests {
    /// The key path that a test tries to observe.
    enum Attempt: CaseIterable, Codable, Sendable {
        case lazy, weak, stored, computed, openStored, openStruct, openOptional, ofAppliance, openTwin, openPart

        /// Those whose message says the same where no property's name is known.
        static let unnamed = [computed, ofAppliance, openTwin]

        func run() {
            let uncommon = Uncommon()
            switch self {
            case .lazy: _ = uncommon.observe(\.late) { _, _ in }
            case .weak: _ = uncommon.observe(\.parent) { _, _ in }
            case .stored: _ = uncommon.observe(\.plain) { _, _ in }
            case .computed: _ = uncommon.observe(\.half) { _, _ in }
            case .openStored: _ = OpenWindow().observe(\.width) { _, _ in }
            case .openStruct: _ = OpenWindow().observe(\.frame.width) { _, _ in }
            case .openOptional: _ = OpenWindow().observe(\.content?.plain) { _, _ in }
            case .ofAppliance: _ = Kettle().observe(\.plain) { _, _ in }
            case .openTwin: _ = OpenTwins(twin: 1).observe(\.plain) { _, _ in }
            case .openPart: _ = OpenTwins(twin: 2).observe(\.range.lowerBound) { _, _ in }
            }
        }

        var words: [String] {
            switch self {
            case .lazy: ["If it is lazy, fill an @Observed optional in its place. Otherwise make"]
            case .weak: ["If it is weak, put it in a box that is @Observed"]
            case .stored:
                ["Uncommon cannot be observed at \\Uncommon.plain", "Declare plain @Observed, unless it is a constant"]
            case .computed: ["can be seen. Make a stored property behind it"]
            case .openStored: open("Int", "width, height")
            case .openStruct: open("Frame", "frame")
            case .openOptional: open("Optional<Uncommon>", "content")
            case .ofAppliance: ["If Appliance declares it"]
            case .openTwin: ["OpenTwins cannot be observed at"]
            // A stored property that only has the same value as a part of another one is not named.
            case .openPart: ["at a property of type Range<Int>", "@Observed if it is stored (range)"]
            }
        }

        private func open(_ type: String, _ names: String) -> [String] {
            [
                "OpenWindow cannot be observed at a property of type \(type)",
                "can be seen. Declare it @Observed if it is stored (\(names))",
            ]
        }
    }

    @Test(
        "1.4 A18 D18 A key path that reads nothing observable traps, names it, or its type and line, and says what to do",
        arguments: RuntimeAssumption.keyPathComponents.holds && RuntimeAssumption.fields.holds
            ? Attempt.allCases : Attempt.unnamed)
    func advice(attempt: Attempt) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [attempt] in
            attempt.run()
        }
        let message = message(of: result)
        for words in attempt.words + ["AdviceTests.swift:"] { #expect(message.contains(words)) }
        guard "\(attempt)".hasPrefix("open") else { return }
        // A plain variable of a class that is not final is never called computed.
        for absent in ["computed Int", "computed Frame", "computed Optional"] { #expect(!message.contains(absent)) }
        #expect(attempt != .openPart || !message.contains("OpenTwins.plain"))
    }
}

private class OpenShape: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var height = 1
}

private class OpenWindow: OpenShape {
    var width = 1
    var frame = Frame()
    var content: Uncommon?
}

private final class Uncommon: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    lazy var late = "late"
    weak var parent: Uncommon?
    var plain = 1
    var half: Double { Double(plain) / 2 }
}

private class OpenTwins: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var plain = 1
    var twin: Int
    var text = ""
    var range = 1..<9

    init(twin: Int) { self.twin = twin }
}

private class Appliance { var plain = 1 }

private class ObservedAppliance: Appliance, KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var power = 0
}

private final class Kettle: ObservedAppliance {}
