// The command itself: what only a process has.
import Foundation
import Testing

@Suite struct CommandTests {
    /// The command, ready to run, with its output in a pipe.
    private func command(_ arguments: String...) -> (process: Process, output: Pipe, problems: Pipe) {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "monitor")
        process.arguments = arguments
        let (output, problems) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = problems
        return (process, output, problems)
    }

    private func text(_ pipe: Pipe) -> String {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test func `in a pipe the output has no colour`() throws {
        let (process, output, _) = command("--interval", "0", "--proc", Fixtures.recording)
        try process.run()
        let lines = text(output).split(separator: "\n").map(String.init)
        process.waitUntilExit()
        #expect(lines == (try Fixtures.lines(of: "run.txt")))
        #expect(process.terminationStatus == 0)
    }

    @Test func `a trace says what was called how often, and why`() throws {
        let (process, output, _) = command("--trace", "--interval", "0", "--proc", Fixtures.recording)
        try process.run()
        let lines = text(output).split(separator: "\n").map(String.init)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let trace = lines.firstIndex(of: "trace") ?? lines.endIndex
        let untraced = lines[..<trace] + lines[trace...].drop { $0 != "summary" }
        #expect(Array(untraced) == (try Fixtures.lines(of: "run.txt")), "the rest is as without it")
        let report = lines[trace...].prefix { $0 != "summary" }
        #expect(report.contains { $0.contains("called ") && $0.contains("MonitorCore/Reporter.swift:") })
        #expect(report.contains { $0.contains("read ") && $0.contains("busiest") })
        #expect(report.contains { $0.contains("the last one") && $0.contains(" was called because ") })
    }

    @Test func `with KEY_VALUE_OBSERVING_TRACE each change is printed to standard error`() throws {
        let (process, output, problems) = command("--samples", "2", "--interval", "0", "--proc", Fixtures.recording)
        process.environment = ["KEY_VALUE_OBSERVING_TRACE": "1"]
        process.standardOutput = FileHandle.nullDevice
        _ = output
        try process.run()
        let lines = text(problems).split(separator: "\n")
        process.waitUntilExit()
        #expect(
            lines.contains {
                $0.hasPrefix("KeyValueObserving: load1 of Machine")
                    || $0.hasPrefix("KeyValueObserving: memory of Machine")
            })
    }

    @Test func `without a tree it says so and exits 2`() throws {
        let (process, output, problems) = command("--proc", "/no/such/tree")
        try process.run()
        #expect(
            text(problems)
                == "monitor: /no/such/tree: no such directory; name a proc tree or a recording with --proc DIR\n")
        #expect(text(output).isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
    }

    @Test func `an interrupt ends the run with the summary`() throws {
        let (process, output, _) = command("--interval", "3600", "--proc", Fixtures.recording)
        try process.run()
        // The first line is printed after signals were taken over.
        let first = output.fileHandleForReading.availableData
        process.interrupt()
        let all = String(decoding: first, as: UTF8.self) + text(output)
        process.waitUntilExit()
        #expect(all.contains("\nsummary\n  samples              1 of 7\n"))
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test func `an interrupt ends following`() throws {
        let (process, output, _) = command("--follow", "--interval", "3600", "--proc", Fixtures.recording)
        try process.run()
        // The first line is printed after signals were taken over.
        let first = output.fileHandleForReading.availableData
        process.interrupt()
        let lines = (String(decoding: first, as: UTF8.self) + text(output)).split(separator: "\n")
        process.waitUntilExit()
        #expect(lines == ["  memory.usedFraction  –", "  memory.usedFraction  25.0 %"])
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test func `several key paths can be watched`() throws {
        let (process, output, _) = command(
            "--interval", "0", "--samples", "1", "--proc", Fixtures.recording, "--watch", "memory.usedFraction",
            "--watch", "processes.@count")
        try process.run()
        let lines = text(output).split(separator: "\n")
        process.waitUntilExit()
        #expect(
            lines.filter { $0.hasPrefix("  watch ") } == [
                "  watch                memory.usedFraction: – → 0.2500",
                "  watch                processes.@count: 0 → 4",
            ])
        #expect(process.terminationStatus == 0)
    }

    @Test func `a wrong key path is a usage error, and no sample is taken`() throws {
        let (process, output, problems) = command(
            "--proc", Fixtures.recording, "--watch", "processes.@count", "--watch", "memory.usedFractoin")
        try process.run()
        let complaint = text(problems).split(separator: "\n")
        #expect(
            complaint.first
                == "Error: --watch memory.usedFractoin: Memory has no key \"usedFractoin\". Did you mean \"usedFraction\"?"
        )
        #expect(complaint.contains { $0.hasPrefix("Usage: monitor ") })
        #expect(text(output).isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus == 64)
    }
}
