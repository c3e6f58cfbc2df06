// Making an object observable, and what is refused: 15.1, 15.2 and 15.4.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.1 D12 Making an object observable", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct MakingTests {
    private let kept = Kept()
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
        let book = Book()
        let notifying = try NotifyingBook.makeObservable(book)
        [
            notifying.observe(\.title, options: [.old, .new]) { log.add($1) },
            notifying.observe(\.pages, options: [.old, .new, .prior]) { log.add($1) },
            notifying.observe(\.tags, options: [.old, .new]) { log.add($1) },
        ].store(in: kept)
        rename(book, to: "Dune")
        addPage(to: book)
        book.tearOut(2)
        tag(book, "desert")
        #expect(log.take() == ["→Dune", "prior 0→·", "0→1", "prior 1→·", "1→-1", #"[]→["desert"]"#])
    }

    @Test("15.1 Once for each object: the second time it is returned as it is, with its observers")
    func again() throws {
        let book = Book()
        try NotifyingBook.makeObservable(book).observe(\.pages) { _, _ in log.add("called") }.store(in: kept)
        let again = try NotifyingBook.makeObservable(book)
        #expect(again === book && again.observationInfo.count == 1)
        #expect(type(of: Book()) == Book.self)
        again.pages = 1
        #expect(log.take() == ["called"])
    }

    @Test("15.1 A generic class's objects, of each type its own subclass")
    func generic() throws {
        let (number, text) = (Box(1), Box("a"))
        [
            try NotifyingBox<Int>.makeObservable(number).observe(\.value, options: [.old, .new]) { log.add($1) },
            try NotifyingBox<String>.makeObservable(text).observe(\.value, options: [.old, .new]) { log.add($1) },
        ].store(in: kept)
        add(1, to: number)
        add("b", to: text)
        #expect(log.take() == ["1→2", "a→ab"])
        #expect(throws: NotifyingSubclassError.self) { try NotifyingBox<String>.makeObservable(Box(1)) }

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
        try NotifyingBook.makeObservable(&book).observe(\.title, options: [.old, .new]) { log.add($1) }.store(in: kept)
        book.title = "Dune"
        #expect(log.take() == ["before→Dune"])
        for title in ["Emma", "Persuasion"] { book.title = title }
        book.title += "!"
        #expect(log.take() == ["Dune→Emma", "Emma→Persuasion", "Persuasion→Persuasion!"])
    }

    @Test("15.4 Nor does a function that received the object and set it before")
    func madeElsewhere() throws {
        let book = try publish(Book(title: "a"))
        #expect(log.take() == ["b→c", "c→d", "d→e"] && book.title == "e")
    }

    @inline(never)
    private func publish(_ given: Book) throws -> Book {
        var book = given
        book.title = "b"
        try NotifyingBook.makeObservable(&book).observe(\.title, options: [.old, .new]) { log.add($1) }.store(in: kept)
        for title in ["c", "d", "e"] { book.title = title }
        return book
    }

    @Test("15.4 Computed properties and paths follow the overridden properties, of foreign objects on the way too")
    func paths() throws {
        let ada = try NotifyingAuthor.makeObservable(Author(name: "Ada"))
        let book = try NotifyingBook.makeObservable(Book(title: "a"))
        [
            book.observe(\.label, options: .new) { log.add($1) },
            book.observe(\.author?.name, options: .new) { log.add("name \($1.newValue! ?? "nil")") },
        ].store(in: kept)
        (book as Book).author = ada
        #expect(log.take() == ["·→a, 0 pages, by Ada", "name Ada"])
        (ada as Author).name = "Bob"
        #expect(log.take() == ["·→a, 0 pages, by Bob", "name Bob"])
        book.author = nil
        _ = log.take()
        ada.name = "Cleo"
        #expect(log.take() == [])
    }

    @Test("15.4 7.1 A view of an overridden array reports the elements, and replaying gives the value")
    func views() throws {
        let book = try NotifyingBook.makeObservable(Book())
        var copy = book.tags
        var changes: [String] = []
        book.observe(\.tags, options: [.old, .new]) { _, change in
            change.apply(to: &copy)
            changes.append("\(change)")
        }.store(in: kept)
        book.mutable(\.tags).append(contentsOf: ["b", "a"])
        book.mutable(\.tags).sort()
        (book as Book).tags.removeLast()
        #expect(book.tags == ["a"] && copy == ["a"])
        #expect(
            changes == [
                #"insertion in tags at 0–1: ["b", "a"]"#, #"replacement in tags at 0–1, ["b", "a"] → ["a", "b"]"#,
                #"setting of tags, ["a", "b"] → ["a"]"#,
            ])
    }

    @Test("D11 4.2 D6 Writing behind a property is silent, a pair notifies; a class is called once for all")
    func manual() throws {
        for _ in 0..<10 {
            let book = Book()
            let notifying = try CountedBook.makeObservable(book)
            notifying.observe(\.copies, options: [.old, .new]) { log.add($1) }.store(in: kept)
            book.copies = 3
            notifying.willChangeValue(for: \.copies)
            book.copies = 4
            notifying.didChangeValue(for: \.copies)
            #expect(log.take() == ["3→4"])
        }
        #expect(CountedBook.questions.withLock { $0 } == 1)
    }

    @Test(
        "15.4 Properties that are not open, and what is written behind a property, are not seen",
        .enabled(if: hasReflectionMetadata))
    func unseen() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let book = try NotifyingBook.makeObservable(Book())
            _ = book.observe(\.shelf) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("NotifyingBook cannot be observed at a property of type String"))
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

@Suite("15.2 Refusals", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct RefusalTests {
    private func refusal<Subclass: NotifyingSubclass>(
        _ subclass: Subclass.Type, _ object: AnyObject
    ) -> NotifyingSubclassError? {
        let before: AnyClass = type(of: object)
        let error = #expect(throws: NotifyingSubclassError.self) { try Subclass.makeObservable(object) }
        #expect(type(of: object) == before)
        return error
    }

    @Test("15.2 What is refused says why, and what to do; the object stays what it was")
    func refusals() throws {
        let taken = Book()
        _ = try NotifyingBook.makeObservable(taken)
        let open = try OpenNotifyingBook.makeObservable(Book())
        let storage = "has stored properties, and objects of Book have no room for them. Keep what it needs elsewhere."
        #expect(refusal(StoringBook.self, Book())?.description == "StoringBook \(storage)")
        #expect(refusal(SmallStoringBook.self, Book())?.description == "SmallStoringBook \(storage)")
        #expect(refusal(NotifyingBook.self, Author(name: ""))?.code == .otherClass)
        let novel = refusal(NotifyingBook.self, Novel())
        #expect(
            novel?.description == """
                The object is a Novel and not exactly a Book, so NotifyingBook cannot take the place of its class. \
                Declare a notifying subclass of Novel.
                """)
        #expect(novel?.subclass == "NotifyingBook" && novel?.superclass == "Book" && novel?.objectType == "Novel")
        let made = NotifyingSubclassError(
            code: .otherClass, subclass: NotifyingBook.self, superclass: Book.self, objectType: Novel.self)
        #expect(novel == made && made.hashValue == novel?.hashValue && "\(made.code)" == "otherClass")
        #expect(novel == refusal(NotifyingBook.self, Novel()) && novel != refusal(NotifyingAuthor.self, Novel()))
        #expect(refusal(FurtherNotifyingBook.self, Book())?.code == .otherClass)
        #expect(refusal(FurtherNotifyingBook.self, open)?.code == .otherSubclass)
        #expect(
            refusal(Rootless.self, Book())?.description == """
                Rootless has no superclass, so no object can be made one. Declare it as a subclass of Book.
                """)
        #expect(
            refusal(OtherNotifyingBook.self, taken)?.description == """
                NotifyingBook has taken the place of the object's class already, so OtherNotifyingBook cannot. Observe \
                the object as NotifyingBook, or override all that is to be observed in one of the two.
                """)
        var ending: NotifyingSubclassError?
        _ = Ending { ending = refusal(NotifyingEnding.self, $0) }
        #expect(
            ending?.description == """
                The Ending is in its deinit, so nobody could observe it as NotifyingEnding. Make an object observable \
                while it is referred to.
                """)
    }
}

private final class StoringBook: Book, NotifyingSubclass {
    @Observed var rating = 0
}

private final class SmallStoringBook: Book, NotifyingSubclass {
    let isGood = true
}

private class OpenNotifyingBook: Book, NotifyingSubclass {}

private final class FurtherNotifyingBook: OpenNotifyingBook {}

private final class Rootless: NotifyingSubclass {}
