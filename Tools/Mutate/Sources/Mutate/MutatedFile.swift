// A file with all its variants compiled in.

internal import Foundation
internal import SwiftOperators
internal import SwiftParser
internal import SwiftSyntax

/// The variants of one file, and its text with those that were not dropped.
struct MutatedFile {
    /// As a path from the root of the package.
    let path: String
    let source: [UInt8]
    let variants: [Variant]
    private let found: [VariantFinder.Found]
    private let attributes: [Range<Int>]

    /// Reads a file and finds its variants.
    ///
    /// - Parameters:
    ///   - path: The path from the root of the package.
    ///   - text: What is in the file.
    ///   - number: The number of its first variant.
    ///   - platform: What it is built for.
    init(path: String, text: String, firstNumber number: Int, for platform: Platform) {
        self.path = path
        source = Array(text.utf8)
        let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
        let finder = VariantFinder(platform)
        finder.walk(tree)
        found = finder.found
        attributes = finder.attributes
        let lines = SourceLocationConverter(fileName: path, tree: tree)
        var counts: [String: Int] = [:]
        var variants: [Variant] = []
        for (offset, each) in found.enumerated() {
            let code = Self.line(of: source[each.start..<each.end])
            let name = "\(each.kind.rawValue) \(code)"
            variants.append(
                Variant(
                    number: number + offset, file: path,
                    line: lines.location(for: AbsolutePosition(utf8Offset: each.start)).line, kind: each.kind,
                    source: code, occurrence: counts[name, default: 0]))
            counts[name, default: 0] += 1
        }
        self.variants = variants
    }

    private static func line(of code: ArraySlice<UInt8>) -> String {
        let words = String(decoding: code, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        let line = words.joined(separator: " ")
        return line.count > 100 ? line.prefix(99) + "…" : line
    }

    /// The text with variants.
    ///
    /// - Parameter dropped: The numbers of those that are left out.
    /// - Returns: The text, and where the variants stand in it.
    func text(without dropped: Set<Int>) -> (text: String, places: [VariantPlace]) {
        var insertions: [(insertion: VariantFinder.Insertion, variant: Int, order: Int)] = []
        for (variant, each) in zip(variants, found) where !dropped.contains(variant.number) {
            for insertion in each.insertions { insertions.append((insertion, variant.number, insertions.count)) }
        }
        // What begins first encloses what begins later: it opens before that, and closes after it.
        insertions.sort { left, right in
            if left.insertion.offset != right.insertion.offset { return left.insertion.offset < right.insertion.offset }
            if left.insertion.side != right.insertion.side { return left.insertion.side == .closing }
            return left.insertion.side == .opening ? left.order < right.order : left.order > right.order
        }
        var bytes = source
        for range in attributes { for offset in range { bytes[offset] = UInt8(ascii: " ") } }
        var output: [UInt8] = []
        var line = 1
        var column = 1
        var places: [Int: VariantPlace] = [:]
        func append(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                output.append(byte)
                (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + 1)
            }
        }
        var position = 0
        for (insertion, number, _) in insertions {
            if insertion.offset > position { append(bytes[position..<insertion.offset]) }
            position = max(position, insertion.offset)
            let start = TextPlace(line: line, column: column)
            append(insertion.text.replacing("%", with: "\(number)").utf8)
            position += insertion.length
            let end = TextPlace(line: line, column: column)
            places[number] = VariantPlace(number: number, start: places[number]?.start ?? start, end: end)
        }
        append(bytes[position...])
        return (String(decoding: output, as: UTF8.self), places.values.sorted { $0.number < $1.number })
    }
}

/// A place in a text, both counted from 1.
struct TextPlace: Comparable {
    let line: Int
    let column: Int

    static func < (left: Self, right: Self) -> Bool { (left.line, left.column) < (right.line, right.column) }
}

/// Where a variant stands in the text with variants.
struct VariantPlace {
    let number: Int
    let start: TextPlace
    let end: TextPlace
}
