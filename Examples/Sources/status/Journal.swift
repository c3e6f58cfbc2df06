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
    private let token: Mutex<KeyValueObservation?> = Mutex(nil)

    private struct Contents {
        var percent: Int
        var last = 0
        /// The change with number n is at n modulo the capacity.
        var changes: [KeyValueObservedChange<Int>] = []
    }

    init(of download: Download, capacity: Int = 1_000) {
        self.capacity = capacity
        contents = Mutex(Contents(percent: download.percent))
        // It runs on the thread that changes the download, so it only keeps the change.
        let observation = download.observe(\.percent) { [weak self] _, change in self?.append(change) }
        token.withLock { $0 = observation }
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
        let lines = contents.withLock { contents -> [Line] in
            let state = Line(number: contents.last, percent: contents.percent)
            defer { position = min(contents.last, (position ?? contents.last) + 100) }
            guard let known = position, known <= contents.last else {
                position = contents.last
                return [state]
            }
            let missed = contents.last - known
            if missed > contents.changes.count {
                position = contents.last
                return [Line(number: contents.last, dropped: missed), state]
            }
            return (known + 1..<known + 1 + min(missed, 100)).map { number in
                Line(number: number, change: contents.changes[(number - 1) % capacity])
            }
        }
        if lines.isEmpty { return nil }
        var buffer = ByteBuffer()
        for line in lines { buffer.writeBytes(try JSONEncoder().encode(line) + [UInt8(ascii: "\n")]) }
        return buffer
    }
}
