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

private final class OtherNotifyingBook: Book, NotifyingSubclass {}

private class OpenNotifyingBook: Book, NotifyingSubclass {}

private final class FurtherNotifyingBook: OpenNotifyingBook {}

private final class Rootless: NotifyingSubclass {}
