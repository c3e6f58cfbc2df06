// The command: the checksums of the files in a folder, with a bar that shows how far it is.
import ArgumentParser
import Foundation
import KeyValueObservingFoundation
import KeyValueObservingSwizzling

@main
struct Checksum: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the checksum of each file in a folder.",
        discussion: """
            The job reports to a tree of Foundation's Progress and knows of nobody who observes it. The bar observes \
            the tree from outside. Where the output is no terminal, a line for each tenth is printed instead.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Option(name: .shortAndLong, help: "How many files to read at the same time.")
    var jobs = 4

    func validate() throws {
        guard jobs > 0 else { throw ValidationError("--jobs must be 1 or more.") }
    }

    @MainActor
    func run() async throws {
        let checksums = try Checksums(of: URL(fileURLWithPath: folder), jobs: jobs)
        let bar = ProgressBar(onTerminal: isatty(STDOUT_FILENO) == 1) { text in
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        bar.show(try NotifyingProgress.makeObservable(checksums.progress))
        for (name, checksum) in try await checksums.run() {
            let digits = String(checksum, radix: 16)
            print(String(repeating: "0", count: 16 - digits.count) + digits, name)
        }
    }
}
