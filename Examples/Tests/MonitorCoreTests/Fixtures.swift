// What the tests share: the recorded trees, and a sink that remembers.
import Foundation
import MonitorCore

enum Fixtures {
    /// The directory of the recorded trees and of the output expected for them.
    static var directory: String { Bundle.module.bundleURL.appending(path: "Fixtures").path }
    /// A recording of seven samples.
    static var recording: String { "\(directory)/recording" }

    /// The lines of a file, with the directory where it says DIR.
    static func lines(of file: String) throws -> [String] {
        try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
            .replacing("DIR", with: directory)
            .split(separator: "\n").map(String.init)
    }
}

/// Remembers what is printed.
final class Transcript {
    private(set) var lines: [String] = []

    func print(_ line: Line) {
        lines.append(line.rendered(colored: false))
    }
}

extension ProcessorTimes {
    init(busy: Int, idle: Int) throws {
        try self.init(parsing: "cpu  \(busy) 0 0 \(idle) 0 0 0 0 0 0")
    }
}

extension ProcessRecord {
    /// A process that is what the others of a test are not.
    init(_ pid: Int, _ name: String, ticks: Int = 0, startTime: Int = 1, pages: Int = 0) throws {
        try self.init(
            parsing: "\(pid) (\(name)) S 1 1 1 0 -1 0 0 0 0 0 \(ticks) 0 0 0 20 0 1 0 \(startTime) 0 \(pages)")
    }
}
