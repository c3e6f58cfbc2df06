// The newest changes of a download, for clients that come, go, and come back.
import Foundation
import KeyValueObserving
import NIOCore
import Synchronization

/// Numbers the changes of a download, and keeps the newest of them: one store for all clients, however slow they are.
final class Journal: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    /// The number of the newest change.
    @ObservedShared private(set) var last = 0

    private let capacity: Int
    private let contents: Mutex<Contents>
    /// Set once, before anybody knows the journal.
    private var token: KeyValueObservation?

    private struct Contents {
        var percent: Int
        var last = 0
        /// The change with number n is at n - 1 modulo the capacity.
        var changes: [KeyValueObservedChange<Int>] = []
    }

    init(of download: Download, capacity: Int = 1_000) {
        self.capacity = capacity
        contents = Mutex(Contents(percent: download.percent))
        // It runs on the thread that changes the download, so it only keeps the change.
        token = download.observe(\.percent) { [weak self] _, change in self?.append(change) }
    }

    private func append(_ change: KeyValueObservedChange<Int>) {
        last = contents.withLock { contents in
            contents.last += 1
            contents.percent = change.requiredNewValue
            if contents.changes.count < capacity { contents.changes.append(change) }
            contents.changes[(contents.last - 1) % capacity] = change
            return contents.last
        }
    }

    /// A line of JSON: the state, a change, or how many changes a client has missed.
    private struct Line: Encodable {
        var number: Int
        var percent: Int?
        var change: KeyValueObservedChange<Int>?
        var dropped: Int?
    }

    /// What to send to a client next.
    ///
    /// - Parameter position: The number of the newest change that the client has; nil if it has none. It moves on.
    /// - Returns: Lines; nil if the client has everything.
    /// - Throws: What the encoder throws.
    func lines(after position: inout Int?) throws -> ByteBuffer? {
        let (lines, last) = contents.withLock { contents -> ([Line], Int) in
            let state = Line(number: contents.last, percent: contents.percent)
            guard let known = position, known <= contents.last else { return ([state], contents.last) }
            let missed = contents.last - known
            if missed > contents.changes.count {
                return ([Line(number: contents.last, dropped: missed), state], contents.last)
            }
            let end = known + min(missed, 100)
            let lines = (known..<end).map { Line(number: $0 + 1, change: contents.changes[$0 % capacity]) }
            return (lines, end)
        }
        position = last
        if lines.isEmpty { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var buffer = ByteBuffer()
        for line in lines { buffer.writeBytes(try encoder.encode(line) + [UInt8(ascii: "\n")]) }
        return buffer
    }
}
