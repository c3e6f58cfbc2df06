// What XMSafeKVO's article shows, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Story: XMSafeKVO")
struct XMSafeKVOStory {
    @Test("A16 Adding the same observer and key path replaces the old registration")
    func replacing() {
        let (book, reader, log) = (Book(), Reader(), Log())
        let controller = KVOController(observer: reader, duplicates: .replace)
        controller.observe(book, \.title) { _, _, _ in log.add("old") }
        controller.observe(book, \.title) { _, _, _ in log.add("new") }
        book.title = "a"
        #expect(log.take() == ["new"] && book.observationInfo.count == 1)
    }

    // #10
    @Test("A14 B1 Safe: removing what is not there, twice, from nobody, and after a death")
    func safe() {
        let (book, reader) = (Book(), Reader())
        let nobody: Book? = nil
        book.removeObserver(reader, for: \.title)
        reader.kvo.observe(nobody, \.title) { _, _, _ in }
        reader.kvo.unobserve(nobody, \.title)
        book.addObserver(reader, for: [\.title]) { _, _, _ in }
        book.removeObserver(reader)
        book.removeObserver(reader)
        book.addObserver(Reader(), for: [\.title]) { _, _, _ in Issue.record("the reader is gone") }
        book.title = "a"
        #expect(book.observationInfo.isEmpty)
    }

    @Test("B2 removeAllObservers clears the list with one call; another object has its own")
    func removeAll() {
        let (book, other, reader) = (Book(), Book(), Reader())
        for book in [book, other] { book.addObserver(reader, for: [\.title, \.pages]) { _, _, _ in } }
        book.removeAllObservers()
        #expect(book.observationInfo.isEmpty && other.observationInfo.count == 2)
    }

    // #161
    @Test("D11 Observed for .old: a method that writes the stored value directly notifies nobody")
    func directWrite() {
        let (book, reader, log) = (Book(), Reader(), Log())
        book.addObserver(reader, for: [\.pages], options: .old) { log.add($2) }
        book.pages = 1
        book.tearOut()
        book.pages = 2
        #expect(log.take() == ["0→·", "0→·"])
    }

    @Test("D6 The class is asked about a property for the first object only")
    func oncePerClass() {
        let reader = Reader()
        for _ in 0..<10 { CountedBook().addObserver(reader, for: [\.title]) { _, _, _ in } }
        #expect(CountedBook.questions.take() == ["asked"])
    }
}

private final class Book: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""
    @Observed var pages = 0

    func tearOut() { _pages = Observed(wrappedValue: 0) }
}

private final class CountedBook: KeyValueObservable {
    static let questions = Questions()

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        questions.add("asked")
        return true
    }
}

private final class Reader {
    private(set) lazy var kvo = KVOController(observer: self)
}
