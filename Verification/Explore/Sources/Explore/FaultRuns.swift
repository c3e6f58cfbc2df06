// Running the library with one fault after the other.
import Foundation

/// Runs this program again for each fault, in an environment that names it.
struct FaultRuns {
    /// How long the scenarios are run together until the fault counts as not found.
    let seconds: Double

    /// Prints what finds each fault, and fails if one is not found.
    func run(_ numbers: [Int]) throws {
        var missed: [Int] = []
        for number in numbers.isEmpty ? Array(1...Fault.all.count) : numbers {
            let fault = Fault.all[number - 1]
            if let finding = try find(number, fault) {
                print("\(number). \(fault.name): \(finding)")
            } else {
                print("\(number). \(fault.name): NOT FOUND")
                missed.append(number)
            }
            fflush(nil)
        }
        print("explore: \(missed.isEmpty ? "every fault is found" : "not found: \(missed)")")
        if !missed.isEmpty { throw FaultError(description: "\(missed.count) faults are not found") }
    }

    /// What finds a fault first: the scenario that is known to, or any.
    private func find(_ number: Int, _ fault: Fault) throws -> String? {
        try finding(number, ["--scenario", fault.scenario]) ?? finding(number, [])
    }

    private func finding(_ number: Int, _ arguments: [String]) throws -> String? {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments + ["--seconds", "\(seconds)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["EXPLORE_FAULT": "\(number)"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // One that waits for ever is found, too.
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 2 * seconds + 30, execute: watchdog)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        watchdog.cancel()
        if process.terminationStatus == 0, process.terminationReason == .exit { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("explore: ") }
        return line.map { String($0.dropFirst("explore: ".count)) } ?? "the process hangs or ends without a word"
    }
}
