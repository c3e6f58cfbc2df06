// Classes on the main actor that are declared in one line.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingMacros
import TestSupport
import Testing

@Suite("Isolated classes declared by macro")
struct IsolatedClassTests {
    @Test("9.8 20.1 A class on the main actor is declared like any other")
    @MainActor
    func mainActor() throws {
        let model = SearchModel()
        let parent = ViewModel()
        let log = Log()
        let tokens = [
            model.observe(\.shout, options: .new) { _, change in log.add(change.newValue!) },
            model.observe(\.parent?.text, options: .new) { _, change in log.add("\(change.newValue! ?? "nil")") },
            model.observe(\.results, options: .new) { _, change in log.add("\(change.newValue!)") },
        ]
        model.query = "ab"
        model.parent = parent
        parent.text = "x"
        model.limit = 1
        for token in tokens { token.invalidate() }
        #expect(log.take() == ["AB", "12", "", "x", "3"])
        #expect(model.queries == ["ab"])
        try model.setValue("by name", forKey: "query")
        #expect(try model.value(forKey: "shout") as? String == "BY NAME")
    }

    @Test("A10 9.8 Methods on the main actor are called there")
    @MainActor
    func callbacks() {
        let screen = MainScreen()
        let model = SearchModel()
        screen.observe(model)
        model.limit = 3
        #expect(screen.limits == ["10 → 3"])
    }
}

@MainActor
@KeyValueCallbacks
private final class MainScreen {
    var limits: [String] = []
    @WhenChanged(\SearchModel.limit) func limitDidChange(_ new: Int, old: Int) { limits.append("\(old) → \(new)") }
}
