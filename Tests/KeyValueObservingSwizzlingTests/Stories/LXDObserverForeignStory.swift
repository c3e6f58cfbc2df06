// What LXDObserver's article shows: key-value observing by a subclass that the object gets.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingStyles
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("Story: LXDObserver, on a foreign object")
struct LXDObserverForeignStory {
    @Test("15.4 A8 C4 Handlers get the object, the key, old and new; old is read before the store")
    func handler() throws {
        let (book, log) = (Book(), Log())
        let notifying = try NotifyingBook.makeObservable(book)
        notifying.addObserver(Clerk(), for: [\.pages]) { _, _, _ in log.add("gone") }
        let clerk = Clerk()
        let identity = ObjectIdentifier(book)
        notifying.addObserver(clerk, for: [\.pages]) { _, object, change in
            #expect(change.keyPath == \NotifyingBook.pages && ObjectIdentifier(object) == identity)
            log.add("\(change.oldValue as! Int) \(change.newValue as! Int) \(object.pages)")
        }
        book.pages = 10
        book.pages = 25
        #expect(log.take() == ["0 10 10", "10 25 25"])
        withExtendedLifetime(clerk) {}
    }

    @Test("15.4 B2 Several observers of one key each get theirs; removing one with its key leaves the others")
    func several() throws {
        let (book, log) = (Book(), Log())
        let notifying = try NotifyingBook.makeObservable(book)
        let clerks = [Clerk(), Clerk(), Clerk()]
        for (index, clerk) in clerks.enumerated() {
            notifying.addObserver(clerk, for: [\.pages, \.title]) { _, _, _ in log.add("\(index)") }
        }
        addPage(to: book)
        #expect(log.take() == ["0", "1", "2"])
        notifying.removeObserver(clerks[1], for: \.pages)
        addPage(to: book)
        rename(book, to: "Dune")
        #expect(log.take() == ["0", "2", "0", "1", "2"])
        withExtendedLifetime(clerks) {}
    }

    @Test(
        "15.1 The class is set once for each object, to one that overrides the setter; what others wrote goes on as before"
    )
    func subclass() throws {
        let books = [Book(title: "a"), Book(title: "b")]
        for book in books { _ = try NotifyingBook.makeObservable(book) }
        for book in books { _ = try NotifyingBook.makeObservable(book) }
        #expect(books.allSatisfy { type(of: $0) == NotifyingBook.self })
        #expect(books[0] == Book(title: "a") && Set(books).count == 2)
        books[0].tearOut(1)
        #expect(books[0].pages == -1)
    }

    @Test("15.4 C13 C14 What its author regrets: scalars, arrays and key paths can be observed")
    func regrets() throws {
        let (book, clerk, log) = (Book(), Clerk(), Log())
        let author = try NotifyingAuthor.makeObservable(Author(name: "Ada"))
        let notifying = try NotifyingBook.makeObservable(book)
        notifying.addObserver(clerk, for: [\.pages, \.tags.count, \.author?.name], options: .new) { log.add($2) }
        addPage(to: book)
        tag(book, "desert")
        book.author = author
        (author as Author).name = "Bob"
        #expect(log.take() == ["·→1", "·→1", "·→Ada", "·→Bob"])
    }
}

private final class Clerk {}
