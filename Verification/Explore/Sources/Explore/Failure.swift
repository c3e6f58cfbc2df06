// Saying what went wrong in which order, also when the process ends by a trap.
import Foundation

/// What is printed when an order goes wrong: the scenario, the finding, and how to repeat it.
enum Failure {
    nonisolated(unsafe) private static var scenario = ""
    /// The order so far, in memory that a signal's handler may read.
    nonisolated(unsafe) private static let turns = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * mostTurns)
    nonisolated(unsafe) private static var count = 0
    nonisolated(unsafe) private static var prefix: [UInt8] = []
    private static let mostTurns = 10_000

    /// Begins an order of a scenario.
    static func beginOrder() { count = 0 }

    /// Notes a choice that does not take the first thread.
    static func note(place: Int, taken: Int) {
        guard count < mostTurns else { return }
        turns[2 * count] = Int32(place)
        turns[2 * count + 1] = Int32(taken)
        count += 1
    }

    /// Begins a scenario, and has traps say in which order they came.
    static func begin(_ name: String) {
        scenario = name
        prefix = Array("\nexplore: the process ends in \(name), after the order ".utf8)
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
            Foundation.signal(signal) { number in
                Failure.printOrder()
                Foundation.signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Prints the order so far; allocates nothing.
    private static func printOrder() {
        prefix.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
            for turn in 0..<count {
                var end = text.count
                func put(_ byte: UInt8) {
                    end -= 1
                    text[end] = byte
                }
                func put(_ number: Int32) {
                    var rest = number
                    repeat {
                        put(UInt8(48 + rest % 10))
                        rest /= 10
                    } while rest > 0
                }
                put(UInt8(ascii: " "))
                put(turns[2 * turn + 1])
                put(UInt8(ascii: ":"))
                put(turns[2 * turn])
                if let start = text.baseAddress { _ = write(2, start + end, text.count - end) }
            }
            text[0] = UInt8(ascii: "\n")
            _ = write(2, text.baseAddress, 1)
        }
    }

    /// The order so far, as text.
    static var order: String { (0..<count).map { "\(turns[2 * $0]):\(turns[2 * $0 + 1])" }.joined(separator: " ") }

    /// Prints what went wrong, and ends the process: its threads may be anywhere.
    static func report(_ finding: String) -> Never {
        print(
            """
            explore: \(scenario): \(finding)
              repeat it with: Scripts/explore --scenario "\(scenario)" --replay "\(order)"
            """)
        fflush(nil)
        _exit(1)
    }
}
