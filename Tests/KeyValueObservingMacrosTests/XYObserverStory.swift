// What XYObserver's article shows, with the conventions and the one-line declaration.
import KeyValueObserving
import KeyValueObservingMacros
import KeyValueObservingStyles
import Testing

@Suite("Story: XYObserver, by convention")
struct XYObserverConventionStory {
    private let source = Source()

    @Test("A10 A11 The owner's method is found: one line declares it, one call observes all")
    func convention() {
        let page = Page()
        page.observe(source)
        source.index = 3
        source.title = "a"
        #expect(page.take() == ["3 after 0", "source is a"])
    }

    @Test("A9 A10 A callback gets the source itself")
    func handler() {
        let page = Page()
        page.observe(source)
        source.title = "b"
        #expect(page.lastSource === source)
    }

    @Test("B3 A11 Removing a property of a source, a source, and all")
    func removing() {
        let (page, other) = (Page(), Source())
        page.observe(source)
        page.observe(other)
        page.stopObserving(source, \.index)
        source.index = 1
        source.title = "a"
        #expect(page.take() == ["source is a"])
        page.stopObserving(source)
        source.title = "b"
        other.title = "c"
        #expect(page.take() == ["source is c"])
        page.stopObservingAll()
        other.index = 1
        #expect(page.take() == [])
    }

    @Test("B4 A11 When the owner dies everything that it observes ends")
    func ownerDies() {
        var page: Page? = Page()
        weak let weakPage = page
        page?.observe(source)
        page = nil
        source.index = 1
        #expect(weakPage == nil && source.observationInfo.isEmpty)
    }

    @Test("14.2 A11 Two sources with the same description are told apart")
    func sameDescription() {
        let (page, twin) = (Page(), Source())
        #expect("\(source)" == "\(twin)")
        page.observe(source)
        page.observe(twin)
        twin.index = 1
        page.stopObserving(twin)
        twin.index = 2
        source.index = 5
        #expect(page.take() == ["1 after 0", "5 after 0"])
    }

    @Test("A11 A16 Observing the same again leaves one registration of each property")
    func again() {
        let page = Page()
        page.observe(source)
        page.observe(source)
        source.index = 1
        #expect(page.take() == ["1 after 0"])
        page.stopObserving(source, \.index)
        page.observe(source)
        source.index = 2
        #expect(page.take() == ["2 after 1"])
    }
}

@KeyValueObservable
private final class Source: CustomStringConvertible {
    var index = 0
    var title = ""
    var description: String { "source" }
}

@KeyValueCallbacks
private final class Page: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
    private var lines: [String] = []
    private(set) weak var lastSource: Source?

    @WhenChanged(\Source.index) func index(new: Int, old: Int) { lines.append("\(new) after \(old)") }
    @WhenChanged(\Source.title) func title(in source: Source, new: String) {
        lines.append("\(source) is \(new)")
        lastSource = source
    }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
