// The compiler plugin without the package's trait `Macros`: each macro reports that the trait is missing.
#if !Macros || !canImport(SwiftSyntaxMacros)
import Foundation

/// Answers the compiler's requests, as `SwiftCompilerPlugin` of swift-syntax does: JSON, behind eight bytes with its
/// length.
@main
struct KeyValueObservingMacrosPlugin {
    private static let message = """
        enable the package's trait: .package(url: …, from: …, traits: [.defaults, "Macros"])
        """

    static func main() throws {
        while let header = try read(8) {
            let count = header.reversed().reduce(0) { $0 << 8 | Int($1) }
            // An empty message of the compiler is the end.
            guard count > 0, let data = try read(count) else { return }
            let request = try JSONDecoder().decode(Request.self, from: data)
            let answer = try JSONEncoder().encode(answer(to: request))
            let length = (0..<8).map { UInt8(truncatingIfNeeded: answer.count >> (8 * $0)) }
            try FileHandle.standardOutput.write(contentsOf: Data(length) + answer)
        }
    }

    /// Reads a number of bytes; nil at the end of the input.
    private static func read(_ count: Int) throws -> Data? {
        var data = Data()
        while data.count < count {
            guard let part = try FileHandle.standardInput.read(upToCount: count - data.count), !part.isEmpty else {
                return nil
            }
            data += part
        }
        return data
    }

    private static func answer(to request: Request) -> Answer {
        guard let expansion = request.expandAttachedMacro else {
            return Answer(getCapabilityResult: Answer.Capabilities())
        }
        // A macro with several roles is expanded once for each. Each macro has one of these roles.
        guard ["member", "peer"].contains(expansion.macroRole) else {
            return Answer(expandMacroResult: Answer.Expansion())
        }
        let diagnostic = Answer.Diagnostic(message: message, position: expansion.attributeSyntax.position)
        return Answer(expandMacroResult: Answer.Expansion(diagnostics: [diagnostic]))
    }
}

/// The used parts of a request of the compiler.
private struct Request: Decodable {
    struct Expansion: Decodable {
        let macroRole: String
        let attributeSyntax: Attribute
    }

    struct Attribute: Decodable {
        let source: String
        let location: Position

        /// Its start, after the comments before it.
        var position: Position {
            let start = source.utf8.lastIndex(of: UInt8(ascii: "@")) ?? source.startIndex
            let distance = source.utf8.distance(from: source.startIndex, to: start)
            return Position(fileName: location.fileName, offset: location.offset + distance)
        }
    }

    let expandAttachedMacro: Expansion?
}

private struct Position: Codable {
    let fileName: String
    let offset: Int
}

private struct Answer: Encodable {
    struct Capabilities: Encodable {
        let capability = ["protocolVersion": 7]
    }

    struct Expansion: Encodable {
        var diagnostics: [Diagnostic] = []
    }

    struct Diagnostic: Encodable {
        let message: String
        let position: Position
        let severity = "error"
        let highlights: [String] = []
        let notes: [String] = []
        let fixIts: [String] = []
    }

    var getCapabilityResult: Capabilities?
    var expandMacroResult: Expansion?
}
#endif
