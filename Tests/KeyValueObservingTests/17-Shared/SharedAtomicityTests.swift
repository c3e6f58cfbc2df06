// Reading, setting and accessing a shared property in place: 17.1.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("17.1 C22 A shared property is accessed atomically")
struct SharedAtomicityTests {
    private let kept = Kept()
    private let tally = Tally()

    @Test("17.1 What eight threads add in place counts exactly, observed or not", arguments: [false, true])
    func exactCount(isObserved: Bool) {
        let token = isObserved ? tally.observe(\.count) { _, _ in } : nil
        onThreads(8) { _ in
            for _ in 0..<2_000 { tally.count += 1 }
        }
        #expect(tally.count == 16_000)
        withExtendedLifetime(token) {}
    }

    @Test("17.4 Without observers of the object, changes of its shared properties allocate nothing")
    func unobserved() {
        tally.count = 1
        tally.count += 1
        tally.items = [1]
        tally.items.append(2)
        tally.mutable(\.items).append(3)
        #expect(tally.count == 2 && tally.items == [1, 2, 3])
        #expect(tally.keyValueRegistrar.existingTable == nil)
        tally.observe(\.count) { _, _ in }.store(in: kept)
        #expect(tally.keyValueRegistrar.existingTable != nil)
    }

    @Test("17.1 An array that is appended to in place and by views loses nothing", arguments: [false, true])
    func appends(isObserved: Bool) {
        let token = isObserved ? tally.observe(\.items, options: .new) { _, _ in } : nil
        onThreads(4) { thread in
            for index in 0..<300 {
                if thread.isMultiple(of: 2) {
                    tally.items.append(thread * 1_000 + index)
                } else {
                    tally.mutable(\.items).append(thread * 1_000 + index)
                }
            }
        }
        #expect(tally.items.count == 1_200 && Set(tally.items).count == 1_200)
        for thread in 0..<4 {
            let own = tally.items.filter { $0 / 1_000 == thread }
            #expect(own == own.sorted())
        }
        withExtendedLifetime(token) {}
    }

    @Test("17.1 Sets and dictionaries change by views as one step")
    func views() {
        tally.observe(\.tags) { _, _ in }.store(in: kept)
        onThreads(4) { thread in
            for index in 0..<200 {
                #expect(tally.mutable(\.tags).insert("\(index)-\(thread)").inserted)
                tally.mutable(\.table)["\(index)", default: 0] += 0
                tally.mutable(\.table).merge(["all": 1], uniquingKeysWith: +)
            }
        }
        #expect(tally.tags.count == 800 && tally.table["all"] == 800)
    }

    @Test(
        "17.1 A value that is replaced may read the property in its deinit, observed or no", arguments: [false, true])
    func readingDeinit(isObserved: Bool) {
        final class Reader: @unchecked Sendable {
            var body: (() -> Void)?
            deinit { body?() }
        }
        final class Holder: KeyValueObservable, @unchecked Sendable {
            let keyValueRegistrar = KeyValueRegistrar()
            @ObservedShared var reader: Reader?
        }
        let holder = Holder()
        let log = Log()
        let token = isObserved ? holder.observe(\.reader) { _, _ in log.add("change") } : nil
        holder.reader = Reader()
        holder.reader?.body = { [unowned holder] in log.add("\(holder.reader == nil)") }
        holder.reader = nil
        #expect(log.take().last == "true")
        withExtendedLifetime(token) {}
    }

    @Test(
        "17.3 So it is for changing it, and for the closures of a view", .enabled(if: hasReflectionMetadata),
        arguments: 0..<5)
    func otherOwnAccesses(way: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
            let tally = Tally()
            tally.items = [1]
            let token = tally.observe(\.items) { _, _ in }
            func change(_ items: inout [Int]) { tally.items = items }
            func append(_ items: inout [Int]) { tally.mutable(\.items).append(2) }
            func appendInPlace(_ items: inout [Int]) { tally.items.append(2) }
            switch way {
            case 0: change(&tally.items)
            case 1: append(&tally.items)
            case 2: appendInPlace(&tally.items)
            case 3:
                token.invalidate()
                appendInPlace(&tally.items)
            default: tally.mutable(\.items).removeAll { _ in tally.items.isEmpty }
            }
            withExtendedLifetime(token) {}
        }
        let sentence = "items of a Tally is read or changed while this thread changes it in place"
        #expect(words(sentence, missingIn: message(of: result)) == [])
    }

    @Test("17.1 An access in place that ends on another thread traps and says why", .enabled(if: hasReflectionMetadata))
    func accessAcrossThreads() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tally = Tally()
            func change(_ count: inout Int) async {
                // Comes back as a job of its own.
                await MainActor.run {}
                count += 1
            }
            await Task(executorPreference: ThreadForEachJob()) { await change(&tally.count) }.value
        }
        let sentence = "A change of count of a Tally in place began on one thread and ends on another one"
        #expect(words(sentence, missingIn: message(of: result)) == [])
    }

    @Test(
        "17.1 17.3 A call of a view that was made before traps inside an access in place",
        .enabled(if: hasReflectionMetadata))
    func viewInsideAnAccess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tally = Tally()
            let view = tally.mutable(\.items)
            func access(_ items: inout [Int]) { view.append(2) }
            access(&tally.items)
        }
        #expect(
            words(
                "items of a Tally is read or changed while this thread changes it in place",
                missingIn: message(of: result)) == [])
    }
}
