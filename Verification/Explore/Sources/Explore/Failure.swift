// Saying what went wrong in which order, also when the process ends by a trap.
import Foundation

/// What is printed when an order goes wrong: the scenario, the finding, and how to repeat it.
enum Failure {
    nonisolated(unsafe) private static var scenario = ""
    /// What a trap says before the order.
    nonisolated(unsafe) private static var prefix: [UInt8] = []
    /// The order so far as text, in memory that a signal's handler may read.
    nonisolated(unsafe) private static let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 100_000)
    nonisolated(unsafe) private static var length = 0

    /// Begins an order of a scenario.
    static func beginOrder() { length = 0 }

    /// Notes a choice that does not take the first thread.
    static func note(place: Int, taken: Int) {
        for byte in "\(place):\(taken) ".utf8 where length < text.count {
            text[length] = byte
            length += 1
        }
    }

    /// Begins a scenario, and has traps say in which order they came.
    static func begin(_ name: String) {
        scenario = name
        prefix = Array("\nexplore: the process ends in \(name), after the order ".utf8)
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
            Foundation.signal(signal) { number in
                // Nothing is allocated here.
                Failure.prefix.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
                _ = write(2, Failure.text.baseAddress, Failure.length)
                _ = write(2, "\n", 1)
                Foundation.signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Prints what went wrong, and ends the process: its threads may be anywhere.
    static func report(_ finding: String) -> Never {
        let order = String(decoding: text.prefix(length), as: UTF8.self)
        print(
            """
            explore: \(scenario): \(finding)
              repeat it with: Scripts/explore --scenario "\(scenario)" --replay "\(order)"
            """)
        fflush(nil)
        _exit(1)
    }
}
