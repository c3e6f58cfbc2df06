// What `@KeyValueObservable` says of code that it cannot make observable, and how it mends that.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A declaration, what is said of it, where, and what becomes of it.
struct MendedRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let message: String
    let line: Int
    let column: Int
    var isWarning = false
    let title: String
    var otherTitles: [String] = []
    let source: String
    let fixed: String

    /// A class with these members.
    static func members(_ members: String, of type: String = "final class Person") -> String {
        """
        @KeyValueObservable
        \(type) {
        \(members.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
        }
        """
    }
}

@Suite("Messages of @KeyValueObservable")
struct ObservableMessageTests {
    private static let empty = "@KeyValueObservable\nfinal class Person {\n}"
    private static let policy = "func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }"
    private static let policies = ["Let subclasses override it", "Make the class final"]

    private static let rows: [MendedRow] = [
        MendedRow(
            testDescription: "A struct",
            message:
                "@KeyValueObservable is for classes: a struct has no identity that observers could be registered on",
            line: 2, column: 1, title: "Make it a final class", source: "@KeyValueObservable\nstruct Person {\n}",
            fixed: empty),
        MendedRow(
            testDescription: "An actor",
            message: "@KeyValueObservable is for classes: there are no key paths to the properties of an actor",
            line: 2, column: 1, title: "Make it a final class", source: "@KeyValueObservable\nactor Person {\n}",
            fixed: empty),
        MendedRow(
            testDescription: "@Observable beside it",
            message: """
                @Observable and @KeyValueObservable both change how the properties are stored. To have the class tracked \
                by Observation too, conform to KeyValueTrackable of KeyValueObservingObservation
                """, line: 1, column: 1, title: "Remove @Observable", source: "@Observable \(empty)", fixed: empty),
        MendedRow(
            testDescription: "A registrar that is there",
            message: "@KeyValueObservable declares the registrar: this one is not needed", line: 3, column: 5,
            isWarning: true, title: "Remove it",
            source: MendedRow.members("let keyValueRegistrar = KeyValueRegistrar()"), fixed: empty),
        MendedRow(
            testDescription: "Several variables in one declaration",
            message: "each observed property needs a declaration of its own: a, b, c", line: 3, column: 5,
            title: "Make one declaration of each", source: MendedRow.members("var a = 1, b, c: Int"),
            fixed: MendedRow.members("var a = 1\nvar b: Int\nvar c: Int")),
        MendedRow(
            testDescription: "A lazy property",
            message: """
                a lazy property is not observed. Observe an optional and fill it in a computed property, or mark it with \
                @NotObserved
                """, line: 3, column: 5, isWarning: true, title: "Mark it with @NotObserved",
            source: MendedRow.members("lazy var a = 1"), fixed: MendedRow.members("@NotObserved lazy var a = 1")),
        MendedRow(
            testDescription: "A constant that is to be observed",
            message: "@Observed is for variables: a never changes", line: 3, column: 15, title: "Make it a variable",
            source: MendedRow.members("@Observed let a = 1"), fixed: MendedRow.members("@Observed var a = 1")),
        MendedRow(
            testDescription: "The wrapper on a computed property",
            message: """
                a must not be marked with @Observed: it is for stored properties, and a computed one changes with what \
                its getter reads
                """, line: 3, column: 5, title: "Remove @Observed",
            source: MendedRow.members("@Observed var a: Int { 1 }"), fixed: MendedRow.members("var a: Int { 1 }")),
        MendedRow(
            testDescription: "The wrapper on a weak property",
            message: "a must not be marked with @Observed: @KeyValueObservable observes a weak property without it",
            line: 3, column: 5, title: "Remove @Observed",
            source: MendedRow.members("@Observed weak var a: Person?"), fixed: MendedRow.members("weak var a: Person?")),
        MendedRow(
            testDescription: "A shared constant",
            message: "@ObservedShared is for variables: a never changes", line: 3, column: 21,
            title: "Make it a variable", source: MendedRow.members("@ObservedShared let a = 1"),
            fixed: MendedRow.members("@ObservedShared var a = 1")),
        MendedRow(
            testDescription: "A shared lazy property",
            message: """
                a must not be marked with @ObservedShared: several threads could set up a lazy property at once
                """, line: 3, column: 5, title: "Remove @ObservedShared",
            source: MendedRow.members("@ObservedShared lazy var a = 1"), fixed: MendedRow.members("lazy var a = 1")),
        MendedRow(
            testDescription: "A shared property of the type",
            message: """
                a must not be marked with @ObservedShared: a property of the type has no object that could be observed
                """, line: 3, column: 5, title: "Remove @ObservedShared",
            source: MendedRow.members("@ObservedShared static var a = 1"),
            fixed: MendedRow.members("static var a = 1")),
        MendedRow(
            testDescription: "Own code of a shared property",
            message: "the macro @ObservedShared runs no willSet and didSet: write @KeyValueObserving.ObservedShared",
            line: 3, column: 5, title: "Use the property wrapper",
            source: MendedRow.members("@ObservedShared var a = 1 { didSet {} }"),
            fixed: MendedRow.members("@KeyValueObserving.ObservedShared var a = 1 { didSet {} }")),
        MendedRow(
            testDescription: "A shared value that is to be decoded",
            message: """
                a Decodable class does not decode a constant with a value: set the property in init, or write \
                @KeyValueObserving.ObservedShared
                """, line: 3, column: 5, title: "Use the property wrapper",
            source: MendedRow.members("@ObservedShared var a: Int?", of: "final class Person: Codable"),
            fixed: MendedRow.members(
                "@KeyValueObserving.ObservedShared var a: Int?", of: "final class Person: Codable")),
        MendedRow(
            testDescription: "An answer that subclasses cannot override",
            message: "Person is not final, and its subclasses cannot answer for their properties", line: 3, column: 5,
            isWarning: true, title: policies[0], otherTitles: policies,
            source: MendedRow.members("static \(policy)", of: "class Person"),
            fixed: MendedRow.members("class \(policy)", of: "class Person")),
        MendedRow(
            testDescription: "The same, in a class that could be final",
            message: "Person is not final, and its subclasses cannot answer for their properties", line: 3, column: 5,
            isWarning: true, title: policies[1], otherTitles: policies,
            source: MendedRow.members("static \(policy)", of: "class Person"),
            fixed: MendedRow.members("static \(policy)")),
        MendedRow(
            testDescription: "A coding key that names a property with accessors",
            message: "a is stored in _a, which is to be coded", line: 4, column: 55, title: "Code what is stored",
            source: MendedRow.members(
                "var a = 1 { didSet {} }\nprivate enum CodingKeys: String, CodingKey { case a }",
                of: "final class Person: Encodable"),
            fixed: MendedRow.members(
                "var a = 1 { didSet {} }\nprivate enum CodingKeys: String, CodingKey { case _a = \"a\" }",
                of: "final class Person: Encodable")),
    ]

    @Test("A20 4.2 What cannot be observed is said, and can be mended", arguments: rows)
    func row(_ row: MendedRow) {
        let titles = row.otherTitles.isEmpty ? [row.title] : row.otherTitles
        expectMessages(
            of: row.source,
            [
                DiagnosticSpec(
                    message: row.message, line: row.line, column: row.column,
                    severity: row.isWarning ? .warning : .error, fixIts: titles.map { FixItSpec(message: $0) })
            ], fixIts: [row.title], fixed: row.fixed)
    }
}
