import ForeignClasses
// Sets through a variable that was passed inout are seen in optimized builds too: 15.4.
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.4 A variable that is passed inout")
struct InoutTests {
    private let log = Log()

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

    @Test("15.1 15.2 The variable holds the same object, also if it is refused")
    func sameObject() throws {
        var book = Book()
        let identity = ObjectIdentifier(book)
        #expect(try NotifyingBook.makeObservable(&book) === book && ObjectIdentifier(book) == identity)
        var shelf: AnyObject = Log()
        let before = ObjectIdentifier(shelf)
        #expect(throws: NotifyingSubclassError.self) { try NotifyingBook.makeObservable(&shelf) }
        #expect(ObjectIdentifier(shelf) == before)
    }

    @Test("15.4 The reference that is returned is seen, too")
    func returned() throws {
        let book = Book()
        book.title = "before"
        let notifying = try NotifyingBook.makeObservable(book)
        let token = notifying.observe(\.title, options: .new) { log.add($1) }
        notifying.title = "Dune"
        #expect(log.take() == ["·→Dune"])
        withExtendedLifetime(token) {}
    }
}
