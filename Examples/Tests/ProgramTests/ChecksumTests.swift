// Checksums, and the bar that observes how far they are.
import Foundation
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import Testing

@testable import checksum

@MainActor
@Suite final class ChecksumTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "checksum-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    @Test func `the checksums are those of FNV-1a, in the order of the names`() async throws {
        try write("a", to: "b.txt")
        try write("", to: "a.txt")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "left out"), withIntermediateDirectories: true)
        let checksums = try await Checksums(of: folder, jobs: 2).run()
        #expect(checksums.map(\.name) == ["a.txt", "b.txt"])
        #expect(checksums.map(\.checksum) == [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c])
    }

    @Test(arguments: [1, 4]) func `the bar has a line for each tenth where there is no terminal`(jobs: Int) async throws
    {
        for index in 0..<10 { try write("0123456789", to: "\(index)") }
        let checksums = try Checksums(of: folder, jobs: jobs)
        var lines: [String] = []
        let bar = ProgressBar(onTerminal: false) { lines.append($0) }
        bar.show(try NotifyingProgress.makeObservable(checksums.progress))
        _ = try await checksums.run()
        #expect(lines == (0...10).map { "\($0 * 10) %\n" })
        withExtendedLifetime(bar) {}
    }

    @Test func `on a terminal it is drawn over itself, and the line ends with the job`() async throws {
        try write(String(repeating: "x", count: 199_999), to: "large")
        let checksums = try Checksums(of: folder, jobs: 1)
        var drawn: [String] = []
        let bar = ProgressBar(onTerminal: true) { drawn.append($0) }
        bar.show(try NotifyingProgress.makeObservable(checksums.progress))
        _ = try await checksums.run()
        let percents = [0, 32, 65, 98, 99, 100]
        #expect(drawn == percents.map { ProgressBar.bar(Double($0) / 100) } + ["\n"])
        #expect(ProgressBar.bar(0.25) == "\r[##########..............................]  25 %")
        withExtendedLifetime(bar) {}
    }
}
