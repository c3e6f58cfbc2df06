// What articles on Cocoa's key-value observing show, on objects of a class that knows nothing of it.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingStyles
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("Story: Cocoa's KVO, on a foreign object")
struct CocoaForeignStory {
    @Test("15.4 A4 One callback for all, told apart by key path and context; nobody removes anything in deinit")
    func oneCallback() throws {
        let book = try NotifyingBook.makeObservable(Book())
        var reader: Reader? = Reader()
        reader!.kvo.observe(book, \.pages, options: [.old, .new], context: "pages")
        reader!.kvo.observe(book, \.title, options: [.old, .new], context: 2)
        addPage(to: book)
        rename(book, to: "Dune")
        #expect(reader!.lines == ["pages 0→1", "2 →Dune"])
        reader = nil
        addPage(to: book)
        #expect(book.observationInfo.isEmpty && reader == nil)
    }

    @Test("D5 15.1 Observing changes nothing that making observable has not: address, class and description stay")
    func sameClass() throws {
        let book = Book(title: "Dune")
        let address = ObjectIdentifier(book)
        let notifying = try NotifyingBook.makeObservable(book)
        func look() -> [String] { ["\(ObjectIdentifier(book))", "\(type(of: book))", "\(book)", "\(book.hashValue)"] }
        let before = look()
        let token = notifying.observe(\.pages) { _, _ in }
        #expect(look() == before)
        token.invalidate()
        #expect(look() == before && ObjectIdentifier(book) == address && type(of: book) == NotifyingBook.self)
    }

    @Test("D6 15.1 A second instance does not make another class")
    func secondInstance() throws {
        let books = try (0..<10).map { _ in try NotifyingBook.makeObservable(Book()) }
        let classes = Set(books.map { ObjectIdentifier(type(of: $0 as Book)) })
        #expect(classes == [ObjectIdentifier(NotifyingBook.self)])
    }

    @Test("D11 Writing behind the property notifies nobody; will, store and did notify once")
    func storage() throws {
        let (book, log) = (Book(), Log())
        let notifying = try CountedBook.makeObservable(book)
        let token = notifying.observe(\.copies, options: [.old, .new]) { log.add($1) }
        book.copies = 3
        #expect(log.take() == [])
        notifying.willChangeValue(for: \.copies)
        book.copies = 4
        notifying.didChangeValue(for: \.copies)
        #expect(log.take() == ["3→4"])
        withExtendedLifetime(token) {}
    }

    @Test("C17 Dependent keys, found by reading")
    func dependentKeys() throws {
        let (book, log) = (Book(title: "Dune"), Log())
        let token = try NotifyingBook.makeObservable(book).observe(\.label, options: [.old, .new]) { log.add($1) }
        addPage(to: book)
        #expect(log.take() == ["Dune, 0 pages, by nobody→Dune, 1 pages, by nobody"])
        withExtendedLifetime(token) {}
    }
}

/// Declares a property that it cannot override as one that notifies manually.
private final class CountedBook: Book, NotifyingSubclass {
    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \CountedBook.copies }
}

private final class Reader: KeyValueObserver {
    private(set) lazy var kvo = KVOController(observer: self)
    private(set) var lines: [String] = []

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        switch keyPath {
        case \NotifyingBook.pages, \NotifyingBook.title:
            lines.append("\(context.map { "\($0)" } ?? "") \(change.oldValue ?? "·")→\(change.newValue ?? "·")")
        default: Issue.record("never observed")
        }
    }
}
