// The command: arguments, standard output, and an end by Ctrl-C.
import ArgumentParser
import Dispatch
import Foundation
import MonitorCore

@main
struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Samples this machine and prints what observers of the model get.",
        discussion: """
            Each line is a change of a property, old → new. A file that is missing or malformed is named in a line \
            of its own, and what it should have contained is shown as –.

            A recording is a directory with the proc trees sample-1, sample-2 and so on, each read once; it ends the \
            run when it ends. Any other DIR is read again for each sample, as /proc is.

            A KEYPATH leads from the machine to a value, as in memory.usedFraction or busiest.name; of the elements of \
            a list an operator is asked, as in processes.@count or processes.@sum.residentBytes. Keys of the machine: \
            memory, load1, load5, load15, processor, processes, busiest, problems. Of memory: total, available, \
            usedFraction, swapUsed. Of processor: busyFraction. Of a process: pid, name, title, startTime, \
            isKernelThread, cpuFraction, residentBytes.

            Ctrl-C ends the run with the summary. Exit codes: 0 after a run, 2 if there is nothing to sample, 64 for \
            wrong arguments.
            """)

    @Option(name: .shortAndLong, help: "How many samples to take.")
    var samples = 10

    @Option(name: .shortAndLong, help: "Seconds between two samples.")
    var interval = 1.0

    @Option(help: ArgumentHelp("A proc tree or a recording.", valueName: "DIR"))
    var proc = "/proc"

    @Option(
        help: ArgumentHelp("Print each change of a key path of the model; may be repeated.", valueName: "KEYPATH"))
    var watch: [String] = []

    @Flag(help: "Print who observes what, before the summary.")
    var list = false

    @Flag(help: "Trace the run, and print which handlers were called how often, and why the last one was.")
    var trace = false

    @Flag(help: "Print nothing but the share of the memory that is used, each time that it is sampled.")
    var follow = false

    func validate() throws {
        guard !follow || watch.isEmpty && !list && !trace else {
            throw ValidationError("--follow goes with none of --watch, --list and --trace.")
        }
        guard !proc.isEmpty else { throw ValidationError("--proc needs a directory.") }
        guard samples > 0 else { throw ValidationError("--samples must be 1 or more.") }
        guard (0...86_400).contains(interval) else {
            throw ValidationError("--interval must be between 0 and 86400 seconds.")
        }
    }

    func run() throws {
        let source: ProcSource
        do throws(NoProcTree) {
            source = try ProcSource(directory: proc)
        } catch {
            StandardOutput.complain("monitor: \(error)")
            throw ExitCode(NoProcTree.exitCode)
        }
        let output = StandardOutput()
        if follow { return followMemory(of: source, to: output) }
        let run = MonitorRun(source: source, tracing: trace, columns: StandardOutput.columns, to: output.print)
        for keyPath in watch {
            do {
                try run.watch(keyPath)
            } catch {
                throw ValidationError("--watch \(keyPath): \(error)")
            }
        }
        let interruption = Interruption()
        run.run(samples: samples, listsObservers: list) { interruption.wait(seconds: interval) }
    }
    /// Blocks until it has ended, so that the command needs no asynchronous entry point.
    private func followMemory(of source: ProcSource, to output: StandardOutput) {
        let (interruption, end) = (Interruption(), DispatchSemaphore(value: 0))
        let (samples, interval) = (samples, interval)
        Task.detached {
            await Follower().follow(source, samples: samples, to: output.print) {
                await interruption.pause(seconds: interval)
            }
            end.signal()
        }
        end.wait()
    }
}
