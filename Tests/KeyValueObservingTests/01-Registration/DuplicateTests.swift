// The same object and key path again, through a controller: row A16, and what is reported.
import KeyValueObserving
import TestSupport
import Testing

@Suite("A16 Duplicates")
struct DuplicateTests {
    private let log = Log()

    @Test("A16 By default the same line registers once, and another line registers as well")
    func repeated() {
        let (sign, painter) = (Sign(), Painter())
        let controller = KVOController(observer: painter)
        func watch() {
            controller.observe(sign, \.text, options: .new) { [log] _, _, change in log.add(change, as: "watch") }
        }
        watch()
        watch()
        controller.observe(sign, \.text, options: .new) { [log] _, _, change in log.add(change, as: "second") }
        sign.text = "a"
        #expect(log.take() == ["watch ·→a", "second ·→a"])
        controller.unobserve(sign, \.text)
        sign.text = "b"
        #expect(log.take() == [] && sign.observationInfo.isEmpty)
        watch()
        sign.text = "c"
        #expect(log.take() == ["watch ·→c"])
    }

    @Test("A16 By default several key paths in one call join one that is registered already")
    func several() {
        let (sign, painter) = (Sign(), Painter())
        let controller = KVOController(observer: painter)
        controller.observe(sign, \.text) { [log] _, _, _ in log.add("text") }
        controller.observe(sign, keyPaths: [\.text, \.size]) { [log] _, _, _ in log.add("both") }
        sign.text = "a"
        sign.size = 2
        #expect(log.take() == ["text", "both", "both"])
    }

    @Test("A16 An object's own controller ignores the same line, too")
    func ownController() {
        let (sign, painter) = (Sign(), Painter())
        for _ in 0..<3 { painter.kvoController.observe(sign, \.text) { [log] _, _, _ in log.add("text") } }
        painter.kvoController.observe(sign, \.text) { [log] _, _, _ in log.add("more") }
        sign.text = "a"
        #expect(log.take() == ["text", "more"])
    }

    @Test("1.7 A16 In a loop on one line the first handler stays by default; under .allow all are kept")
    func loop() {
        let (sign, painter) = (Sign(), Painter())
        let ignoring = KVOController(observer: painter)
        for name in ["a", "b"] { ignoring.observe(sign, \.text) { [log] _, _, _ in log.add(name) } }
        let allowing = KVOController(observer: painter, duplicates: .allow)
        for name in ["c", "d"] { allowing.observe(sign, \.text) { [log] _, _, _ in log.add(name) } }
        sign.text = "new"
        #expect(log.take() == ["a", "c", "d"])
    }

    @Test("1.7 A16 What the same line registers again by default is reported once, with the line and what to do")
    func repeatedIsReported() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let (sign, painter) = (Sign(), Painter())
            let (controller, allowing) = (
                KVOController(observer: painter), KVOController(observer: painter, duplicates: .allow)
            )
            for round in 0..<3 {
                controller.observe(sign, \.text, fileID: "Signs/Loop.swift", line: 7) { _, _, _ in }
                allowing.observe(sign, \.text, fileID: "Signs/Loop.swift", line: 8) { _, _, _ in }
                let note = notes.take()
                #expect(note.count == (round == 1 ? 1 : 0))
                for part in ["text", "Sign", "Signs/Loop.swift:7", ".allow"] where round == 1 {
                    #expect(note.first?.contains(part) ?? false)
                }
            }
            // Another line is no repetition.
            controller.observe(sign, \.text, fileID: "Signs/Loop.swift", line: 9) { _, _, _ in }
            #expect(notes.take() == [])
        }
    }

    @Test("A16 Under .ignore, what is left out is reported once for each pair of lines, with both places")
    func ignoredIsReported() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let (sign, painter, log) = (Sign(), Painter(), Log())
            let controller = KVOController(observer: painter, duplicates: .ignore)
            for round in 0..<3 {
                controller.observe(sign, \.text, fileID: "Signs/First.swift", line: 1) { _, _, _ in log.add("first") }
                #expect(notes.take().count == (round == 1 ? 1 : 0))
            }
            controller.observe(sign, \.text, fileID: "Signs/Second.swift", line: 2) { _, _, _ in log.add("second") }
            let note = notes.take()
            #expect(note.count == 1)
            for part in ["Sign", "Signs/First.swift:1", "Signs/Second.swift:2", "duplicates: .allow"] {
                #expect(note.first?.contains(part) ?? false)
            }
            controller.observe(sign, \.text, fileID: "Signs/Second.swift", line: 2) { _, _, _ in log.add("second") }
            #expect(notes.take() == [])
            sign.text = "a"
            #expect(log.take() == ["first"])
        }
    }
}

private final class Sign: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var text = ""
    @Observed var size = 1
}

private final class Painter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
}
