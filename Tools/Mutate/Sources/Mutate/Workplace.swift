// The scratch folder with the copy of the package in which all variants are compiled in.

internal import Foundation

/// The scratch folder.
struct Workplace {
    let root: URL
    let scratch: URL

    init(root: URL) {
        self.root = root
        scratch = root.appending(path: ".build-mutate")
    }

    var copy: URL { scratch.appending(path: "copy") }
    var droppedFile: URL { scratch.appending(path: "dropped.txt") }
    var reachFile: URL { scratch.appending(path: "reach.txt") }
    var resultsFile: URL { scratch.appending(path: "results.txt") }

    /// The Swift files of the library, as paths from the root, in order.
    func sources() throws -> [String] { try files(in: "Sources").filter(Self.hasVariants) }

    /// Whether a file is compiled with variants; those of the macros run in the compiler, and only with a trait.
    private static func hasVariants(_ path: String) -> Bool {
        path.hasSuffix(".swift") && !path.hasPrefix("Sources/MacrosPlugin/")
    }

    private func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { !$0.contains(".docc") && !$0.hasPrefix(".") && !$0.contains("/.") }
            .filter { path in
                var isFolder: ObjCBool = false
                let path = root.appending(path: folder).appending(path: path).path
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            }
            .map { "\(folder)/\($0)" }
            .sorted()
    }

    /// Brings the copy up to date, apart from the files with variants.
    func copyRest() throws {
        var kept: Set<String> = ["Package.swift"]
        let rest = try files(in: "Sources").filter { !Self.hasVariants($0) } + files(in: "Tests")
        for path in rest {
            try write(Data(contentsOf: root.appending(path: path)), to: path)
        }
        kept.formUnion(rest)
        kept.formUnion(try sources())
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        try write(Data((manifest + Switch.manifest).utf8), to: "Package.swift")
        for (path, text) in Switch.files {
            try write(Data(text.utf8), to: path)
            kept.insert(path)
        }
        for target in try targets() {
            let path = "\(target)/Variants.swift"
            try write(Data(Switch.functions.utf8), to: path)
            kept.insert(path)
        }
        for folder in ["Sources", "Tests"] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: copy.appending(path: folder).path) {
                let url = copy.appending(path: folder).appending(path: path)
                if !kept.contains("\(folder)/\(path)"), !url.hasDirectoryPath, url.isRegularFile {
                    try FileManager.default.removeItem(at: url)
                }
            }
        }
    }

    /// The folders of the targets that have Swift files.
    private func targets() throws -> Set<String> {
        Set(try sources().map { $0.split(separator: "/").prefix(2).joined(separator: "/") })
    }

    /// Writes a file of the copy unless it is like that already, so that nothing is built again without a reason.
    func write(_ data: Data, to path: String) throws {
        let url = copy.appending(path: path)
        if let present = try? Data(contentsOf: url), present == data { return }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }
}

extension URL {
    fileprivate var isRegularFile: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
