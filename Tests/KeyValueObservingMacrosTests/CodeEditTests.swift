// A class as CodeEdit's documents have them, one to one.
import KeyValueObserving
import KeyValueObservingMacros
import Testing

@Suite("A pattern of applications: published properties that save, and a weak document")
struct CodeEditTests {
    @Test("20.2 6.5 Each set saves before observers are called, and the weak document can be observed")
    func pattern() {
        var file: SourceFile? = SourceFile()
        let tab = EditorTab()
        var told: [String] = []
        let tokens = [
            tab.observe(\.path, options: .new) { tab, change in
                told.append("\(change.newValue!), saved \(tab.saved.count)")
            },
            tab.observe(\.document?.text, options: .new) { _, change in told.append((change.newValue! ?? "none")) },
        ]
        tab.path = "a.swift"
        tab.document = file
        file?.text = "let a = 1"
        #expect(told == ["a.swift, saved 1", "", "let a = 1"])
        file = nil
        #expect(tab.document == nil && told.count == 3)
        tab.document = nil
        #expect(told.last == "none")
        #expect(tab.saved == ["a.swift"])
        for token in tokens { token.invalidate() }
    }
}

@KeyValueObservable
private final class SourceFile {
    var text = ""
}

@KeyValueObservable
private final class EditorTab {
    var path = "" { didSet { save() } }
    weak var document: SourceFile?
    @NotObserved private(set) var saved: [String] = []

    private func save() { saved.append(path) }
}
