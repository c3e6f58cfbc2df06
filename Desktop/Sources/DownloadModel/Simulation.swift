// Simulated work in the background.
import Foundation
import Synchronization

/// Simulates downloads: its threads add bytes to the running downloads, until it is stopped.
package final class Simulation: Sendable {
    private let list: DownloadList
    private let threadCount: Int
    private let interval: Double
    private let isStopped = Atomic(false)
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - list: The list with the downloads.
    ///   - threads: How many threads work; each takes a share of the downloads.
    ///   - interval: How many seconds a thread waits before it adds to its downloads again.
    package init(of list: DownloadList, threads: Int = 4, every interval: Double = 0.1) {
        (self.list, threadCount, self.interval) = (list, threads, interval)
        for thread in 0..<threads {
            ended.enter()
            Thread.detachNewThread { [self] in
                work(thread)
                ended.leave()
            }
        }
    }

    private func work(_ thread: Int) {
        while !isStopped.load(ordering: .relaxed) {
            for (index, item) in list.items.enumerated() where index % threadCount == thread {
                item.transfer.receive(Int.random(in: 20_000...600_000), in: interval)
            }
            Thread.sleep(forTimeInterval: interval)
        }
    }

    /// Stops the threads, and waits until they have ended.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        ended.wait()
    }
}
