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

    @Test func `in a pipe the output has no color`() throws {
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
        // Lines are broken at spaces.
        let report = lines[trace...].prefix { $0 != "summary" }.flatMap { $0.split(separator: " ") }
            .joined(separator: " ")
        #expect(report.contains(#/called \d+ times [^ ]+ of Machine at MonitorCore/Reporter.swift:\d+ /#))
        #expect(report.contains(/read \d+ times busiest/))
        #expect(
            report.contains(#/the last one The handler registered at [^ ]+ for [^ ]+ of Machine was called because /#))
    }

    @Test func `reports fit a terminal, and 80 columns without one`() throws {
        for columns in [nil, 64, 200] {
            let (process, output, _) = command("--list", "--trace", "--interval", "0", "--proc", Fixtures.recording)
            let terminal = try columns.map { try Terminal(columns: $0) }
            if let terminal { process.standardOutput = terminal.inside }
            process.environment = ["NO_COLOR": "1"]
            try process.run()
            let text = terminal?.text() ?? text(output)
            process.waitUntilExit()
            let lines = text.split(whereSeparator: \.isNewline)
            let reports = lines[try #require(lines.firstIndex(of: "trace"))...].prefix { $0 != "summary" }
            #expect(reports.contains("observers of the machine") && reports.count > 30)
            #expect(reports.filter { $0.count > columns ?? 80 } == [])
            #expect((reports.map(\.count).max() ?? 0) > min((columns ?? 80) - 16, 90), "the width is used")
        }
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
