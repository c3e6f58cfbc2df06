// Changes a board by the commands in its input, and sends the changes: `board-writer [port] [name] [interval]`.
import Board
import Foundation
import KeyValueObserving
import Replication

let arguments = Arguments()
let board = Board()
let publisher = Publisher(
    board, to: arguments.name, at: arguments.address, snapshotInterval: arguments.snapshotInterval)
let problems = publisher.observe(\.problem, options: .new) { _, change in
    if let problem = change.requiredNewValue { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
}

// Reading blocks, so it has a thread of its own.
let (lines, reading) = AsyncStream.makeStream(of: String.self)
Thread.detachNewThread {
    while let line = readLine() { reading.yield(line) }
    reading.finish()
}
for await line in lines where !board.perform(line) {
    FileHandle.standardError.write(
        Data("Not understood: \(line). Write title, add, insert, remove, vote or do, and what.\n".utf8))
}

// The program ends at the end of its input, once all changes have been sent.
publisher.send()
for await _ in publisher.values(of: \.confirmed) where publisher.isUpToDate { break }
