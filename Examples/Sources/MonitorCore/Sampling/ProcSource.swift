// Where samples come from: the running machine, or a recording.
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proc tree that is read again and again, or a recording of several that are read once each.
///
/// A recording is a directory that holds the proc trees `sample-1`, `sample-2` and so on. Anything else is taken for a
/// proc tree itself.
package struct ProcSource: Equatable, Sendable {
    /// The trees of a recording, or the only tree.
    package let trees: [ProcTree]
    /// Whether each tree is one sample.
    package let isRecording: Bool

    /// Finds out what a directory is.
    ///
    /// - Throws: ``NoProcTree`` if there is no directory, or one that holds nothing to sample.
    package init(directory: String) throws(NoProcTree) {
        guard Self.isDirectory(directory) else { throw NoProcTree(path: directory, reason: "no such directory") }
        var recorded: [ProcTree] = []
        while case let path = "\(directory)/sample-\(recorded.count + 1)", Self.isDirectory(path) {
            recorded.append(ProcTree(path: path))
        }
        isRecording = !recorded.isEmpty
        trees = isRecording ? recorded : [ProcTree(path: directory)]
        guard isRecording || trees[0].looksRight else {
            throw NoProcTree(path: directory, reason: "holds neither meminfo nor loadavg nor stat")
        }
    }

    /// How many of the samples asked for there are.
    func available(of samples: Int) -> Int {
        isRecording ? min(samples, trees.count) : samples
    }

    /// The tree to read for a sample, counted from 1.
    func tree(forSample number: Int) -> ProcTree {
        isRecording ? trees[number - 1] : trees[0]
    }

    private static func isDirectory(_ path: String) -> Bool {
        // Only a directory holds itself.
        FileManager.default.fileExists(atPath: "\(path)/.")
    }
}

/// There is nothing to sample.
package struct NoProcTree: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the program ends with then.
    package static let exitCode: Int32 = 2

    /// The directory.
    package var path: String
    /// What is wrong with it.
    package var reason: String

    /// One line that says what to do.
    package var description: String { "\(path): \(reason); name a proc tree or a recording with --proc DIR" }
}
