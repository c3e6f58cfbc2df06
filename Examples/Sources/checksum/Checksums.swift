// Checksums of the files in a folder. Nothing here knows that somebody observes its progress.
import Foundation

/// A job that reports how far it is as code for Foundation does: with a tree of `Progress`.
@MainActor
final class Checksums {
    struct File: Sendable {
        let name: String
        let url: URL
        let size: Int64
    }

    /// The whole; each file is a child of it.
    let progress = Progress(totalUnitCount: 0)
    private let files: [File]
    private let jobs: Int

    /// - Parameters:
    ///   - folder: Where the files are; folders in it are left out.
    ///   - jobs: How many files are read at the same time.
    /// - Throws: What Foundation throws if the folder cannot be read.
    init(of folder: URL, jobs: Int) throws {
        self.jobs = jobs
        files = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey, .isRegularFileKey])
            .compactMap { url in
                let values = try url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
                guard values.isRegularFile == true else { return nil }
                return File(name: url.lastPathComponent, url: url, size: Int64(values.fileSize ?? 0))
            }
            .sorted { $0.name < $1.name }
    }

    /// Reads all files.
    ///
    /// - Returns: What was computed, in the order of the names.
    /// - Throws: What Foundation throws if a file cannot be read.
    func run() async throws -> [(name: String, checksum: UInt64)] {
        // One more unit for each file, so that an empty one counts too.
        progress.totalUnitCount = files.reduce(0) { $0 + $1.size + 1 }
        var checksums: [String: UInt64] = [:]
        try await withThrowingTaskGroup(of: (String, UInt64).self) { group in
            for (index, file) in files.enumerated() {
                if index >= jobs, let (name, checksum) = try await group.next() { checksums[name] = checksum }
                let child = Progress(totalUnitCount: file.size + 1)
                progress.addChild(child, withPendingUnitCount: file.size + 1)
                group.addTask {
                    // `Progress` has no lock, so all of the tree is changed on the main actor.
                    let checksum = try await Self.checksum(of: file.url) { @MainActor count in
                        child.completedUnitCount += Int64(count)
                    }
                    await MainActor.run { child.completedUnitCount = child.totalUnitCount }
                    return (file.name, checksum)
                }
            }
            for try await (name, checksum) in group { checksums[name] = checksum }
        }
        return files.compactMap { file in checksums[file.name].map { (file.name, $0) } }
    }

    /// Computes FNV-1a of a file's bytes, 64 KiB at a time.
    @concurrent
    nonisolated static func checksum(
        of file: URL, report: @MainActor @Sendable (Int) -> Void
    ) async throws -> UInt64 {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var checksum: UInt64 = 0xcbf2_9ce4_8422_2325
        while let chunk = try handle.read(upToCount: 1 << 16), !chunk.isEmpty {
            for byte in chunk { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01b3 }
            await report(chunk.count)
        }
        return checksum
    }
}
