// Many threads and many objects: 15.1, 15.3 and D6.
import ForeignClasses
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.1 Threads", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct ThreadTests {
    private static let count = isUnderThreadSanitizer ? 2_000 : 10_000

    @Test("15.1 15.3 D6 Eight threads make the same objects observable while others die; each is observable once")
    func sameObjects() {
        let books = Unchecked(value: (0..<Self.count).map { _ in Book() })
        let calls = Guarded([Int](repeating: 0, count: Self.count))
        let tokens = Guarded<[KeyValueObservation]>([])
        let failures = Guarded<[String]>([])
        onThreads(8) { thread in
            var own: [KeyValueObservation] = []
            for step in 0..<Self.count {
                // Each begins elsewhere, and goes through all.
                let index = (step + thread * Self.count / 8) % Self.count
                do {
                    let book = try NotifyingBook.makeObservable(books.value[index])
                    if book !== books.value[index] { failures.withLock { $0.append("another object") } }
                    // One that dies at once, at an address that another thread's objects had.
                    let passing = try NotifyingEnding.makeObservable(Ending { _ in })
                    if index.isMultiple(of: 4), passing.isObserved(\.value) {
                        failures.withLock { $0.append("observed by nobody") }
                    }
                    guard index.isMultiple(of: 20) else { continue }
                    own.append(book.observe(\.pages) { _, _ in calls.withLock { $0[index] += 1 } })
                    own.append(passing.observe(\.value) { _, _ in })
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            let kept = own
            tokens.withLock { $0 += kept }
        }
        #expect(failures.withLock { Array($0.prefix(3)) } == [])
        for book in books.value { book.pages += 1 }
        #expect(!calls.withLock { $0 }.enumerated().contains { $1 != ($0.isMultiple(of: 20) ? 8 : 0) })
        // Those of the objects that died have ended, and the others have not.
        #expect(tokens.withLock { $0.count(where: \.isInvalidated) } == 8 * Self.count / 20)
        withExtendedLifetime(books) {}
    }

    @Test("15.1 15.2 Of two subclasses that want the same object one gets it")
    func twoSubclasses() {
        let books = Unchecked(value: (0..<Self.count / 4).map { _ in Book() })
        let made = Guarded(0)
        let failures = Guarded<[String]>([])
        onThreads(8) { thread in
            var own = 0
            for book in books.value {
                do {
                    if thread.isMultiple(of: 2) {
                        _ = try NotifyingBook.makeObservable(book)
                    } else {
                        _ = try OtherNotifyingBook.makeObservable(book)
                    }
                    own += 1
                } catch let error as NotifyingSubclassError where error.code == .otherSubclass {
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            let count = own
            made.withLock { $0 += count }
        }
        #expect(failures.withLock { $0 } == [])
        // Four threads want the same of each.
        #expect(made.withLock { $0 } == 4 * books.value.count)
    }
}
