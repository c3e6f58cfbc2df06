// The scratch folder with the copy of the package in which all variants are compiled in.

internal import Foundation

/// The scratch folder, for variants of the library or of the macros.
struct Workplace {
    let root: URL
    let scratch: URL
    /// Whether the variants are those of the macros, which the tests of these compile, a package of their own.
    let isOfMacros: Bool

    init(root: URL, isOfMacros: Bool) {
        self.root = root
        self.isOfMacros = isOfMacros
        scratch = root.appending(path: isOfMacros ? ".build-mutate/macros" : ".build-mutate/library")
    }

    var copy: URL { scratch.appending(path: "copy") }
    var package: URL { isOfMacros ? copy.appending(path: "Tests") : copy }
    var droppedFile: URL { scratch.appending(path: "dropped.txt") }
    var reachFile: URL { scratch.appending(path: "reach.json") }
    var resultsFile: URL { scratch.appending(path: "results.txt") }

    /// The Swift files that have variants, as paths from the root, in order.
    func sources() throws -> [String] {
        try isOfMacros
            ? files(in: "Tests/KeyValueObservingMacrosTests/Plugin")
            : files(in: "Sources").filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Sources/MacrosPlugin/") }
    }

    /// All text of the tests, so that what they reach is recorded again when one is changed.
    func testText() throws -> String {
        let sources = Set(try sources())
        return try files(in: "Tests").filter { !sources.contains($0) && $0.hasSuffix(".swift") }.map {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8)
        }.joined()
    }

    private func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { !$0.contains(".docc") && !$0.hasPrefix(".") && !$0.contains("/.") }
            .map { "\(folder)/\($0)" }
            .filter { root.appending(path: $0).isRegularFile }
            .sorted()
    }

    /// Brings the copy up to date, apart from the files with variants.
    func copyRest() throws {
        let mutated = Set(try sources())
        let folders = ["Sources", "Tests"] + (isOfMacros ? [] : ["Benchmarks", "Verification/Explore"])
        let rest = try folders.flatMap(files(in:)).filter { !mutated.contains($0) } + ["Package.swift"]
        var kept = mutated.union(rest)
        func add(_ text: String, to path: String) throws {
            try write(Data(text.utf8), to: path)
            kept.insert(path)
        }
        let changed = isOfMacros ? "Tests/Package.swift" : "Package.swift"
        for path in rest where path != changed { try write(Data(contentsOf: root.appending(path: path)), to: path) }
        // A variant may draw a warning.
        let manifest = try String(contentsOf: root.appending(path: changed), encoding: .utf8)
            .replacing(".treatAllWarnings(as: .error),", with: "")
        try add(manifest + (isOfMacros ? Switch.manifestOfMacros : Switch.manifest), to: changed)
        let switchFolder = isOfMacros ? "Tests/CMutation" : "Sources/CMutation"
        for (path, text) in Switch.files { try add(text, to: "\(switchFolder)/\(path)") }
        for target in Set(mutated.map { $0.split(separator: "/").prefix(2).joined(separator: "/") }) {
            try add(Switch.functions, to: "\(target)/Variants.swift")
        }
        for folder in folders {
            for path in try FileManager.default.subpathsOfDirectory(atPath: copy.appending(path: folder).path) {
                let url = copy.appending(path: "\(folder)/\(path)")
                if !kept.contains("\(folder)/\(path)"), !path.contains(".build"), url.isRegularFile {
                    try FileManager.default.removeItem(at: url)
                }
            }
        }
    }

    /// Writes a file of the copy unless it is like that already, so that nothing is built again without a reason.
    func write(_ data: Data, to path: String) throws {
        let url = copy.appending(path: path)
        if let present = try? Data(contentsOf: url), present == data { return }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    /// Builds a program for release from a package of the copy, and gives its path.
    func buildRelease(_ product: String, in package: URL) throws -> String {
        let command = [
            "swift", "build", "-c", "release", "-j", "2", "-Xswiftc", "-suppress-warnings", "--package-path",
            package.path,
            "--scratch-path", scratch.appending(path: "build-\(product)").path, "--product", product,
        ]
        try Command.check(command)
        let folder = try Command.check(command + ["--show-bin-path"]).split(separator: "\n").last ?? ""
        return "\(folder)/\(product)"
    }

    /// Gives a function a file in which a program notes the variants that it reaches, and reads that file.
    func recording<Result>(
        _ count: Int, _ body: (URL) throws -> Result
    ) throws -> (Result, variants: IndexSet) {
        let file = scratch.appending(path: "reached-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(count: count).write(to: file)
        let result = try body(file)
        let bytes = try Data(contentsOf: file)
        return (result, IndexSet(bytes.indices.filter { bytes[$0] != 0 }))
    }
}

extension URL {
    fileprivate var isRegularFile: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
