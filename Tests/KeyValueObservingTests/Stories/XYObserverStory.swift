// What XYObserver's article shows, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import Testing

@Suite("Story: XYObserver")
struct XYObserverStory {
    private let source = Source()

    @Test("A9 The handler gets the source itself, old and new")
    func handler() {
        let page = Page()
        page.observe(source, \.index) { [source] page, sender, change in
            #expect(sender === source)
            page.lines.append("\(change.newValue!) after \(change.oldValue!)")
        }
        source.index = 3
        #expect(page.lines == ["3 after 0"])
    }

    @Test("B3 Removing a property of a source, a source, and all")
    func removing() {
        let (page, other) = (Page(), Source())
        for source in [source, other] {
            page.observe(source, \.index) { page, _, _ in page.lines.append("index") }
            page.observe(source, \.title) { page, _, _ in page.lines.append("title") }
        }
        page.stopObserving(source, \.index)
        source.index = 1
        source.title = "a"
        #expect(page.take() == ["title"])
        page.stopObserving(source)
        source.title = "b"
        other.title = "b"
        #expect(page.take() == ["title"])
        page.stopObservingAll()
        other.index = 1
        #expect(page.take() == [])
    }

    @Test("B4 When the owner dies everything that it observes ends")
    func ownerDies() {
        var page: Page? = Page()
        weak let weakPage = page
        page!.observe(source, \.index) { _, _, _ in Issue.record("the page is gone") }
        page = nil
        source.index = 1
        #expect(weakPage == nil && source.observationInfo.isEmpty)
    }

    @Test("14.2 Two sources with the same description are told apart")
    func sameDescription() {
        let (page, twin) = (Page(), Source())
        #expect("\(source)" == "\(twin)")
        for source in [source, twin] { page.observe(source, \.index) { page, _, _ in page.lines.append("index") } }
        source.index = 1
        twin.index = 1
        page.stopObserving(twin)
        source.index = 2
        twin.index = 2
        #expect(page.take() == ["index", "index", "index"])
    }

    @Test("A16 Observing the same again from the same line leaves one registration; stopping first replaces it")
    func again() {
        let page = Page()
        func observe(_ name: String) { page.observe(source, \.index) { page, _, _ in page.lines.append(name) } }
        observe("first")
        observe("second")
        source.index = 1
        #expect(page.take() == ["first"])
        page.stopObserving(source, \.index)
        observe("third")
        source.index = 2
        #expect(page.take() == ["third"])
    }
}

private final class Source: KeyValueObservable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var index = 0
    @Observed var title = ""
    var description: String { "source" }
}

private final class Page: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
    var lines: [String] = []

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
