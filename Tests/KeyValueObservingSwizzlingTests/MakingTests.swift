// Making an object observable: 15.1 and 15.4.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.1 D12 Making an object observable")
struct MakingTests {
    private let log = Log()

    @Test("15.1 The object's class changes; identity, equality, hash and stored values stay")
    func stays() throws {
        let book = Book(title: "Dune", author: Author(name: "Herbert"))
        (book.pages, book.shelf) = (412, "A")
        let (identity, hash) = (ObjectIdentifier(book), book.hashValue)
        let notifying = try NotifyingBook.makeObservable(book)
        #expect(notifying === book && ObjectIdentifier(notifying) == identity)
        #expect(book.hashValue == hash && book == Book(title: "Dune"))
        #expect(book.title == "Dune" && book.pages == 412 && book.shelf == "A" && book.author?.name == "Herbert")
        #expect(type(of: book) == NotifyingBook.self && book is NotifyingBook && book as? NotifyingBook === book)
    }

    @Test("15.1 What others set, with code that knows nothing of the subclass, is delivered with old and new")
    func others() throws {
        let (book, log) = (Book(), Log())
        let notifying = try NotifyingBook.makeObservable(book)
        let tokens = [
            notifying.observe(\.title, options: [.old, .new]) { log.add($1) },
            notifying.observe(\.pages, options: [.old, .new, .prior]) { log.add($1) },
            notifying.observe(\.tags, options: [.old, .new]) { log.add($1) },
        ]
        rename(book, to: "Dune")
        addPage(to: book)
        book.tearOut(2)
        tag(book, "desert")
        #expect(log.take() == ["→Dune", "prior 0→·", "0→1", "prior 1→·", "1→-1", #"[]→["desert"]"#])
        withExtendedLifetime(tokens) {}
    }

    @Test("15.1 Once for each object: the second time it is returned as it is, with its observers")
    func again() throws {
        let (book, log) = (Book(), Log())
        let token = try NotifyingBook.makeObservable(book).observe(\.pages) { _, _ in log.add("called") }
        let again = try NotifyingBook.makeObservable(book)
        #expect(again === book && again.observationInfo.count == 1)
        #expect(type(of: Book()) == Book.self)
        again.pages = 1
        #expect(log.take() == ["called"])
        withExtendedLifetime(token) {}
    }

    @Test("15.1 A generic class's objects, of each type its own subclass")
    func generic() throws {
        let (number, text, log) = (Box(1), Box("a"), Log())
        let tokens = [
            try NotifyingBox<Int>.makeObservable(number).observe(\.value, options: [.old, .new]) { log.add($1) },
            try NotifyingBox<String>.makeObservable(text).observe(\.value, options: [.old, .new]) { log.add($1) },
        ]
        add(1, to: number)
        add("b", to: text)
        #expect(log.take() == ["1→2", "a→ab"])
        #expect(throws: NotifyingSubclassError.self) { try NotifyingBox<String>.makeObservable(Box(1)) }
        withExtendedLifetime(tokens) {}

        // Where the compiler sees the object being made, it may call the original setter.
        @inline(never) func add<Value: RangeReplaceableCollection>(_ more: Value, to box: Box<Value>) {
            box.value += more
        }
        @inline(never) func add(_ more: Int, to box: Box<Int>) { box.value += more }
    }

    @Test("15.4 A function that made the object sets it through the variable, and is seen")
    func madeHere() throws {
        var book = Book()
        book.title = "before"
        let token = try NotifyingBook.makeObservable(&book).observe(\.title, options: [.old, .new]) { log.add($1) }
        book.title = "Dune"
        #expect(log.take() == ["before→Dune"])
        for title in ["Emma", "Persuasion"] { book.title = title }
        book.title += "!"
        #expect(log.take() == ["Dune→Emma", "Emma→Persuasion", "Persuasion→Persuasion!"])
        withExtendedLifetime(token) {}
    }

    @Test("15.4 So is one that got the object from elsewhere, and set it before")
    func madeElsewhere() throws {
        let (book, token) = try publish(Book(title: "a"))
        #expect(log.take() == ["b→c", "c→d", "d→e"] && book.title == "e")
        withExtendedLifetime(token) {}
    }

    @inline(never)
    private func publish(_ given: Book) throws -> (Book, KeyValueObservation) {
        var book = given
        book.title = "b"
        let token = try NotifyingBook.makeObservable(&book).observe(\.title, options: [.old, .new]) { log.add($1) }
        for title in ["c", "d", "e"] { book.title = title }
        return (book, token)
    }

    @Test("15.4 Computed properties and paths follow the overridden properties, of foreign objects on the way too")
    func paths() throws {
        let (ada, log) = (try NotifyingAuthor.makeObservable(Author(name: "Ada")), Log())
        let book = try NotifyingBook.makeObservable(Book(title: "a"))
        let tokens = [
            book.observe(\.label, options: .new) { log.add($1) },
            book.observe(\.author?.name, options: .new) { log.add("name \($1.newValue! ?? "nil")") },
        ]
        (book as Book).author = ada
        #expect(log.take() == ["·→a, 0 pages, by Ada", "name Ada"])
        (ada as Author).name = "Bob"
        #expect(log.take() == ["·→a, 0 pages, by Bob", "name Bob"])
        book.author = nil
        _ = log.take()
        ada.name = "Cleo"
        #expect(log.take() == [])
        withExtendedLifetime(tokens) {}
    }

    @Test("15.4 7.1 A view of an overridden array reports the elements, and replaying gives the value")
    func views() throws {
        let book = try NotifyingBook.makeObservable(Book())
        var copy = book.tags
        var changes: [String] = []
        let token = book.observe(\.tags, options: [.old, .new]) { _, change in
            change.apply(to: &copy)
            changes.append("\(change)")
        }
        book.mutable(\.tags).append(contentsOf: ["b", "a"])
        book.mutable(\.tags).sort()
        (book as Book).tags.removeLast()
        #expect(book.tags == ["a"] && copy == ["a"])
        #expect(
            changes == [
                #"insertion in tags at 0–1: ["b", "a"]"#, #"replacement in tags at 0–1, ["b", "a"] → ["a", "b"]"#,
                #"setting of tags, ["a", "b"] → ["a"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test(
        "D11 4.2 D6 What is written behind a property is silent, a pair tells; the class is asked once for all objects")
    func manual() throws {
        let log = Log()
        for _ in 0..<10 {
            let book = Book()
            let notifying = try CountedBook.makeObservable(book)
            let token = notifying.observe(\.copies, options: [.old, .new]) { log.add($1) }
            book.copies = 3
            notifying.willChangeValue(for: \.copies)
            book.copies = 4
            notifying.didChangeValue(for: \.copies)
            #expect(log.take() == ["3→4"])
            withExtendedLifetime(token) {}
        }
        #expect(CountedBook.questions.withLock { $0 } == 1)
    }

    @Test("15.4 Properties that are not open, and what is written behind a property, are not seen")
    func unseen() async {
        await #expect(processExitsWith: .failure) {
            let book = try NotifyingBook.makeObservable(Book())
            _ = book.observe(\.shelf) { _, _ in }
        }
    }
}

/// Declares a property that it cannot override as one that notifies manually.
private final class CountedBook: Book, NotifyingSubclass {
    static let questions = Guarded(0)

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        questions.withLock { $0 += 1 }
        return keyPath != \CountedBook.copies
    }
}
