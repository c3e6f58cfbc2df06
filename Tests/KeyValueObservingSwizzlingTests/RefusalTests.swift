// What is refused, and why: 15.2.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling
import Testing

@Suite("15.2 Refusals")
struct RefusalTests {
    private func refusal<Subclass: NotifyingSubclass>(
        _ subclass: Subclass.Type, _ object: AnyObject
    ) -> NotifyingSubclassError? {
        let before: AnyClass = type(of: object)
        let error = #expect(throws: NotifyingSubclassError.self) { try Subclass.makeObservable(object) }
        #expect(type(of: object) == before)
        return error
    }

    @Test("15.2 A subclass with storage is refused, of however little of it")
    func storage() {
        #expect(refusal(StoringBook.self, Book())?.code == .hasStorage)
        #expect(
            refusal(SmallStoringBook.self, Book())?.description == """
                SmallStoringBook has stored properties, and objects of Book have no room for them. Keep what it needs \
                elsewhere.
                """)
    }

    @Test("15.2 An object whose class is not exactly the one overridden is refused")
    func otherClass() {
        #expect(refusal(NotifyingBook.self, Author(name: ""))?.code == .otherClass)
        #expect(
            refusal(NotifyingBook.self, Novel())?.description == """
                The object is a Novel and not exactly a Book, so NotifyingBook cannot take the place of its class. \
                Declare a notifying subclass of Novel.
                """)
        #expect(refusal(FurtherNotifyingBook.self, Book())?.code == .otherClass)
    }

    @Test("15.2 A class without a superclass is refused")
    func noSuperclass() {
        #expect(
            refusal(Rootless.self, Book())?.description == """
                Rootless has no superclass, so no object can be made one. Declare it as a subclass of Book.
                """)
    }

    @Test("15.2 An object that has another notifying subclass is refused")
    func another() throws {
        let book = Book()
        _ = try NotifyingBook.makeObservable(book)
        #expect(
            refusal(OtherNotifyingBook.self, book)?.description == """
                NotifyingBook has taken the place of the object's class already, so OtherNotifyingBook cannot. Observe \
                the object as NotifyingBook, or override all that is to be observed in one of the two.
                """)
        let open = try OpenNotifyingBook.makeObservable(Book())
        #expect(refusal(FurtherNotifyingBook.self, open)?.code == .otherSubclass)
    }

    @Test("15.2 An object that is in its deinit is refused")
    func ending() {
        var error: NotifyingSubclassError?
        _ = Ending { error = refusal(NotifyingEnding.self, $0) }
        #expect(
            error?.description == """
                The Ending is in its deinit, so nobody could observe it as NotifyingEnding. Make an object observable \
                while it is referred to.
                """)
    }

    @Test("15.2 What an error says can be compared")
    func properties() {
        let error = refusal(NotifyingBook.self, Novel())
        #expect(error == refusal(NotifyingBook.self, Novel()) && error != refusal(NotifyingAuthor.self, Novel()))
        #expect(error?.subclass == "NotifyingBook" && error?.superclass == "Book" && error?.objectType == "Novel")
        #expect("\(NotifyingSubclassError.Code.hasStorage)" == "hasStorage")
    }
}

private final class StoringBook: Book, NotifyingSubclass {
    @Observed var rating = 0
}

private final class SmallStoringBook: Book, NotifyingSubclass {
    let isGood = true
}

private final class OtherNotifyingBook: Book, NotifyingSubclass {}

private class OpenNotifyingBook: Book, NotifyingSubclass {}

private final class FurtherNotifyingBook: OpenNotifyingBook {}

private final class Rootless: NotifyingSubclass {}
