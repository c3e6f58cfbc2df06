// Robots that do jobs.
import Foundation
import KeyValueObserving

final class Job: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var remaining = 3
}

final class Robot: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var job: Job?
    @Observed var charge = 100
    /// Never set, so its handlers are never called.
    @Observed var alarm: String?

    // Its getter reports its name, which key paths of computed properties do not have.
    var isIdle: Bool {
        accessValue(for: \.isIdle)
        return job == nil
    }
}

final class Depot: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var robots: [Robot] = []
    @Observed var finished = 0
    /// Several threads may change it, so the inspector reads it.
    @ObservedShared var place = "North"

    var headline: String {
        accessValue(for: \.headline)
        return "\(finished) finished"
    }
}

final class Board: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var depot: Depot
    @Observed var text = ""

    init(_ depot: Depot) { self.depot = depot }
}

/// How often handlers were called, as counted by the program itself.
final class Counts {
    var calls = 0
}

/// A depot with robots, a board that shows their work, and the observers.
struct Fleet {
    private let depot = Depot()
    private let board: Board
    private let counts = Counts()
    private let observations: [KeyValueObservation]

    init(robots count: Int) {
        let (depot, counts) = (depot, counts)
        depot.robots = (0..<count).map { _ in Robot() }
        let board = Board(depot)
        self.board = board
        var observations = [
            depot.observe(\.headline, options: .new) { _, _ in counts.calls += 1 },
            depot.observe(\.robots) { _, _ in counts.calls += 1 },
            depot.observe(\.place) { _, _ in counts.calls += 1 },
            board.observe(\.depot.headline, options: [.initial, .new]) { board, change in
                counts.calls += 1
                board.text = change.newValue ?? ""
            },
            board.observe(\.text) { _, _ in counts.calls += 1 },
        ]
        for robot in depot.robots {
            observations += [
                // The job is nil at first, so the path has no end.
                robot.observe(\.job?.remaining, options: [.initial, .old, .new]) { robot, change in
                    counts.calls += 1
                    guard change.newValue == .some(0) else { return }
                    robot.job = nil
                },
                robot.observe(\.isIdle, options: [.new, .distinct]) { [weak depot] robot, change in
                    counts.calls += 1
                    guard change.newValue == true else { return }
                    depot?.finished += 1
                    if robot.charge > 0 { robot.charge -= 1 }
                },
                robot.observe(\.charge) { _, _ in counts.calls += 1 },
                robot.observe(\.alarm) { _, _ in counts.calls += 1 },
            ]
        }
        self.observations = observations
    }

    /// Lets a robot do a job, in about ten changes.
    private func work(_ robot: Robot) {
        robot.job = Job()
        while let job = robot.job { job.remaining -= 1 }
    }

    /// Lets all robots do three jobs after each line of input, and prints the program's values.
    func workForEachLine() {
        while readLine() != nil {
            for _ in 0..<3 { for robot in depot.robots { work(robot) } }
            print(#"{"calls": \#(counts.calls), "finished": \#(depot.finished), "text": "\#(board.text)"}"#)
            // The output may be a pipe.
            fflush(nil)
        }
        withExtendedLifetime(observations) {}
    }

    /// Makes about 100,000 changes a second.
    func workForever() -> Never {
        while true {
            for _ in 0..<4 { for robot in depot.robots { work(robot) } }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
