// What an inbox drops is released without its lock: 9.3 and 11.4.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("9.3 11.4 What an inbox releases")
struct InboxReleaseTests {
    @Test(
        "9.3 11.4 The end of a value that is dropped may ask about the registration", .timeLimit(.minutes(10)),
        arguments: [true, false])
    func dropped(dropsNewest: Bool) async {
        await #expect(processExitsWith: .success) { [dropsNewest] in
            let rack = Rack()
            let ended = Questions()
            let end: @Sendable () -> Void = { [weak rack] in ended.add("\(rack?.observationInfo.count ?? 0)") }
            // The getter is called after the registration was recorded, and before the inbox is open.
            rack.onRead = { rack in
                for number in 1...4 { rack.crates = Crates([number], onEnd: end) }
            }
            var iterator = rack.changes(
                of: \.shown, options: [.initial, .old], bufferingPolicy: dropsNewest ? .oldest(1) : .newest(1)
            ).makeAsyncIterator()
            _ = await iterator.next()
            rack.crates = Crates([])
            _ = await iterator.next()
            #expect(ended.take().contains("1"))
        }
    }
}

private final class Rack: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var crates = Crates([])
    /// Called once, when the crates are read through `shown` although its observer has read them.
    var onRead: ((Rack) -> Void)?
    private var observedReads = 0

    var shown: Crates {
        if !observationInfo.isEmpty { observedReads += 1 }
        if observedReads == 2, let onRead {
            self.onRead = nil
            onRead(self)
        }
        return crates
    }
}

/// A collection whose storage runs code when it ends.
private struct Crates: RandomAccessCollection, @unchecked Sendable {
    private final class Storage {
        let numbers: [Int]
        let onEnd: () -> Void

        init(_ numbers: [Int], _ onEnd: @escaping () -> Void) {
            self.numbers = numbers
            self.onEnd = onEnd
        }

        deinit { onEnd() }
    }

    private let storage: Storage

    init(_ numbers: [Int], onEnd: @escaping () -> Void = {}) {
        storage = Storage(numbers, onEnd)
    }

    var startIndex: Int { 0 }
    var endIndex: Int { storage.numbers.count }
    subscript(index: Int) -> Int { storage.numbers[index] }
}
