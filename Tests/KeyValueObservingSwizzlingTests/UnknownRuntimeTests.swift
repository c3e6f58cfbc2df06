// What happens where the runtime keeps the classes of objects in another way.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.2 The runtime")
struct UnknownRuntimeTests {
    @Test("15.2 What is assumed of classes holds here, unless the checks fail on purpose, and the report says so")
    func holds() {
        let assumption = RuntimeAssumption.objectClasses
        #expect(assumption.holds == !doChecksFail)
        _ = try? NotifyingBook.makeObservable(Book())
        let text = "\(assumption.holds ? "holds" : "fails")  \(assumption.sentence)\n"
        #expect(KeyValueDiagnostics.runtimeReport.contains(text))
    }

    @Test("15.2 Where it does not hold, no object is made observable", .enabled(if: doChecksFail))
    func refused() throws {
        let book = Book(title: "Dune")
        let error = #expect(throws: NotifyingSubclassError.self) { try NotifyingBook.makeObservable(book) }
        #expect(error?.code == .unknownRuntime && type(of: book) == Book.self && book.title == "Dune")
        #expect(
            error?.description.contains("in another way than this library knows, so no Book can be observed") == true)
    }

    @Test("15.2 Where it does not hold, no object of the subclass can be used", .enabled(if: doChecksFail))
    func trapped() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                NotifyingBook().title = "Dune"
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("NotifyingBook cannot be used: the Swift runtime keeps the classes of objects"))
    }
}
