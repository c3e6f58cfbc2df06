// Builds the copy, and drops the variants that the compiler refuses.

internal import Foundation

/// The copy of the package with its variants, built.
struct Build {
    let workplace: Workplace
    let files: [MutatedFile]
    private(set) var dropped: Set<Int> = []

    var variants: [Variant] { files.flatMap(\.variants).filter { !dropped.contains($0.number) } }

    init(_ workplace: Workplace) throws {
        self.workplace = workplace
        let platform = Platform(flags: workplace.isOfMacros ? ["Macros"] : [])
        var number = 0
        var files: [MutatedFile] = []
        for path in try workplace.sources() {
            let text = try String(contentsOf: workplace.root.appending(path: path), encoding: .utf8)
            let file = MutatedFile(path: path, text: text, firstNumber: number, for: platform)
            number += file.variants.count
            files.append(file)
        }
        self.files = files
        // What was refused once is refused again.
        let known = (try? String(contentsOf: workplace.droppedFile, encoding: .utf8)) ?? ""
        let keys = Set(known.split(separator: "\n").map(String.init))
        dropped = Set(files.flatMap(\.variants).filter { keys.contains($0.key) }.map(\.number))
    }

    /// What tells these variants and tests from others.
    var stamp: String {
        get throws {
            let keys = files.flatMap(\.variants).map(\.key)
            // The same in each run, unlike `hashValue`.
            let hash = (keys.joined(separator: "\n") + (try workplace.testText())).utf8.reduce(
                14_695_981_039_346_656_037 as UInt64
            ) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            return "variants \(keys.count) \(hash)"
        }
    }

    /// Builds the tests until the compiler accepts what is left.
    mutating func run() throws {
        try workplace.copyRest()
        while try !isAccepted() { try writeDropped() }
        try writeDropped()
    }

    private func writeDropped() throws {
        let keys = files.flatMap(\.variants).filter { dropped.contains($0.number) }.map(\.key)
        try Data(keys.map { $0 + "\n" }.joined().utf8).write(to: workplace.droppedFile)
    }

    /// Whether the compiler accepts all that is left; what it refuses is dropped.
    private mutating func isAccepted() throws -> Bool {
        var places: [String: [VariantPlace]] = [:]
        for file in files {
            let mutated = file.text(without: dropped)
            places[file.path] = mutated.places
            try workplace.write(Data(mutated.text.utf8), to: file.path)
        }
        let command = [
            "swift", "build", "-j", "2", "-Xswiftc", "-suppress-warnings", "--build-tests", "--package-path",
            workplace.package.path,
        ]
        let (status, output) = try Command.run(command)
        if status == 0 { return true }
        var refused: Set<Int> = []
        for (file, place) in CompilerErrors.places(in: output, below: workplace.copy.path) {
            refused.formUnion(CompilerErrors.variants(at: place, of: places[file] ?? []))
        }
        refused.subtract(dropped)
        // No variant is to blame.
        guard !refused.isEmpty else { throw CommandError(command: command, output: String(output.suffix(4_000))) }
        dropped.formUnion(refused)
        print("  \(refused.count) variants do not compile")
        return false
    }
}

/// Reads the compiler's errors.
enum CompilerErrors {
    /// The files and places of the errors.
    static func places(in output: String, below folder: String) -> [(file: String, place: TextPlace)] {
        output.split(separator: "\n").compactMap { line -> (file: String, place: TextPlace)? in
            guard let match = line.firstMatch(of: /^(.*?\.swift):(\d+):(\d+): error:/),
                let line = Int(match.2), let column = Int(match.3)
            else { return nil }
            return (String(match.1).replacing(folder + "/", with: ""), TextPlace(line: line, column: column))
        }
    }

    /// The variants to blame for an error: the innermost one around it, else those of its line, else the nearest.
    static func variants(at place: TextPlace, of variants: [VariantPlace]) -> [Int] {
        let around = variants.filter { $0.start <= place && place <= $0.end }
        if !around.isEmpty {
            let inSameLine = around.filter { $0.start.line == place.line || $0.end.line == place.line }
            if !inSameLine.isEmpty { return inSameLine.map(\.number) }
            return around.max { $0.start < $1.start }.map { [$0.number] } ?? []
        }
        let onLine = variants.filter { $0.start.line <= place.line && place.line <= $0.end.line }
        if !onLine.isEmpty { return onLine.map(\.number) }
        let nearest = variants.last { $0.end < place } ?? variants.first { place < $0.start }
        return nearest.map { [$0.number] } ?? []
    }
}
