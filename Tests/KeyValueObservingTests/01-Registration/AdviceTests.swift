// What a trap at registration advises.
import KeyValueObserving
import Testing

@Suite("1.4 Advice for a key path that cannot be observed")
struct AdviceTests {
    @Test(
        "1.4 The sentence says what to do about a lazy, a weak, a stored and a computed property of a final class",
        arguments: 0..<4)
    func advice(row: Int) async throws {
        let advice = [
            "If it is lazy, fill an @Observed optional in its place. Otherwise make",
            "If it is weak, put it in a box that is @Observed",
            "Declare plain @Observed, unless it is a constant", "can be seen. Make a stored property behind it",
        ][row]
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [row] in
            let uncommon = Uncommon()
            switch row {
            case 0: _ = uncommon.observe(\.late) { _, _ in }
            case 1: _ = uncommon.observe(\.parent) { _, _ in }
            case 2: _ = uncommon.observe(\.plain) { _, _ in }
            default: _ = uncommon.observe(\.half) { _, _ in }
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains(advice) && text.contains("AdviceTests.swift:"))
    }

    @Test("1.4 A plain variable of a class that is not final is never called computed", arguments: 0..<3)
    func plain(row: Int) async throws {
        let (type, names) = [("Int", "width, height"), ("PlainFrame", "frame"), ("Optional<Uncommon>", "content")][row]
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [row] in
            switch row {
            case 0: _ = OpenWindow().observe(\.width) { _, _ in }
            case 1: _ = OpenWindow().observe(\.frame.top) { _, _ in }
            default: _ = OpenWindow().observe(\.content?.plain) { _, _ in }
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("OpenWindow cannot be observed at a property of type \(type)"))
        #expect(text.contains("can be seen. Declare it @Observed if it is stored (\(names))"))
        #expect(!text.contains("computed \(type)"))
    }
}

private struct PlainFrame { var top = 0 }

private class OpenShape: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var height = 1
}

private class OpenWindow: OpenShape {
    var width = 1
    var frame = PlainFrame()
    var content: Uncommon?
}

private final class Uncommon: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    lazy var late = "late"
    weak var parent: Uncommon?
    var plain = 1
    var half: Double { Double(plain) / 2 }
}
