// What XMSafeKVO's article shows, on objects of a class that knows nothing of it.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingStyles
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("Story: XMSafeKVO, on a foreign object")
struct XMSafeKVOForeignStory {
    @Test("15.4 A16 Adding the same observer and key path replaces the old registration")
    func replacing() throws {
        let (book, reader, log) = (Book(), Reader(), Log())
        let notifying = try NotifyingBook.makeObservable(book)
        let controller = KVOController(observer: reader, duplicates: .replace)
        controller.observe(notifying, \.title) { _, _, _ in log.add("old") }
        controller.observe(notifying, \.title) { _, _, _ in log.add("new") }
        rename(book, to: "a")
        #expect(log.take() == ["new"] && notifying.observationInfo.count == 1)
    }

    @Test("15.4 A14 B1 Safe: removing what is not there, twice, from nobody, and after a death")
    func safe() throws {
        let (book, reader) = (try NotifyingBook.makeObservable(Book()), Reader())
        let nobody: NotifyingBook? = nil
        book.removeObserver(reader, for: \.title)
        reader.kvo.observe(nobody, \.title) { _, _, _ in }
        reader.kvo.unobserve(nobody, \.title)
        book.addObserver(reader, for: [\.title]) { _, _, _ in }
        book.removeObserver(reader)
        book.removeObserver(reader)
        book.addObserver(Reader(), for: [\.title]) { _, _, _ in Issue.record("the reader is gone") }
        rename(book, to: "a")
        #expect(book.observationInfo.isEmpty)
    }

    @Test("15.4 B2 removeAllObservers clears the list with one call; another object has its own")
    func removeAll() throws {
        let reader = Reader()
        let books = try [Book(), Book()].map { try NotifyingBook.makeObservable($0) }
        for book in books { book.addObserver(reader, for: [\.title, \.pages]) { _, _, _ in } }
        books[0].removeAllObservers()
        #expect(books[0].observationInfo.isEmpty && books[1].observationInfo.count == 2)
    }

    @Test("D11 Observed for .old: a method that writes the stored value directly notifies nobody")
    func directWrite() throws {
        let (piece, reader, log) = (Piece(index: 0, isShifted: false), Reader(), Log())
        let notifying = try NotifyingManual.makeObservable(piece)
        notifying.addObserver(reader, for: [\.manual], options: .old) { log.add($2) }
        piece.manual = 1
        piece.writeBehindManual(5)
        piece.manual = 2
        #expect(log.take() == ["0→·", "5→·"])
    }

    #if !KEY_VALUE_OBSERVING_PLAIN
    // Where key paths cannot be read, answers about manual properties are not kept.
    @Test("D6 The class is asked about a property for the first object only")
    func oncePerClass() throws {
        let reader = Reader()
        for _ in 0..<10 {
            try CountedBook.makeObservable(Book()).addObserver(reader, for: [\.title]) { _, _, _ in }
        }
        #expect(CountedBook.questions.withLock { $0 } == 1)
    }
    #endif
}

private final class NotifyingManual: Piece, NotifyingSubclass {
    override var manual: Int {
        get {
            accessValue(for: \.manual)
            return super.manual
        }
        set { changeValue(for: \.manual) { super.manual = newValue } }
    }
}

private final class CountedBook: Book, NotifyingSubclass {
    static let questions = Guarded(0)

    override var title: String {
        get {
            accessValue(for: \.title)
            return super.title
        }
        set { changeValue(for: \.title) { super.title = newValue } }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        questions.withLock { $0 += 1 }
        return true
    }
}

private final class Reader {
    private(set) lazy var kvo = KVOController(observer: self)
}
