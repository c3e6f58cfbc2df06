// What `@KeyValueObservable` says of code that it cannot make observable, and how it mends that.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A declaration, what is said of it, where, and what becomes of it.
struct MendedRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let check: @Sendable () -> Void

    init(
        _ description: String, _ message: String, _ line: Int, _ column: Int, isWarning: Bool = false, title: String,
        otherTitles: [String]? = nil, source: String, fixed: String
    ) {
        testDescription = description
        check = {
            let said = DiagnosticSpec(
                message: message, line: line, column: column, severity: isWarning ? .warning : .error,
                fixIts: (otherTitles ?? [title]).map { FixItSpec(message: $0) })
            expectMessages(of: source, [said], fixIts: [title], fixed: fixed)
        }
    }
}

/// A class with these members.
private func members(_ members: String, of type: String = "final class Person") -> String {
    """
    @KeyValueObservable
    \(type) {
    \(members.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
    }
    """
}

@Suite("Messages of @KeyValueObservable")
struct ObservableMessageTests {
    private static let empty = "@KeyValueObservable\nfinal class Person {\n}"
    private static let policy = "func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }"
    private static let policies = ["Let subclasses override it", "Make the class final"]

    private static let rows: [MendedRow] = [
        MendedRow(
            "A struct",
            "@KeyValueObservable is for classes: a struct has no identity that observers could be registered on", 2, 1,
            title: "Make it a final class", source: "@KeyValueObservable\nstruct Person {\n}", fixed: empty),
        MendedRow(
            "An actor",
            "@KeyValueObservable is for classes: there are no key paths to the properties of an actor", 2, 1,
            title: "Make it a final class", source: "@KeyValueObservable\nactor Person {\n}", fixed: empty),
        MendedRow(
            "@Observable beside it",
            """
            @Observable and @KeyValueObservable both change how the properties are stored. To have the class tracked \
            by Observation too, conform to KeyValueTrackable of KeyValueTracking
            """, 1, 1, title: "Remove @Observable", source: "@Observable \(empty)", fixed: empty),
        MendedRow(
            "A registrar that is there", "@KeyValueObservable declares the registrar: this one is not needed", 3,
            5, isWarning: true, title: "Remove it", source: members("let keyValueRegistrar = KeyValueRegistrar()"),
            fixed: empty),
        MendedRow(
            "Several variables in one declaration",
            "each observed property needs a declaration of its own: a, b, c", 3, 5,
            title: "Make one declaration of each", source: members("var a = 1, b, c: Int"),
            fixed: members("var a = 1\nvar b: Int\nvar c: Int")),
        MendedRow(
            "A lazy property",
            """
            a lazy property is not observed. Observe an optional and fill it in a computed property, or mark it with \
            @NotObserved
            """, 3, 5, isWarning: true, title: "Mark it with @NotObserved", source: members("lazy var a = 1"),
            fixed: members("@NotObserved lazy var a = 1")),
        MendedRow(
            "A constant that is to be observed", "@Observed is for variables: a never changes", 3, 15,
            title: "Make it a variable", source: members("@Observed let a = 1"), fixed: members("@Observed var a = 1")),
        MendedRow(
            "The wrapper on a computed property",
            """
            a must not be marked with @Observed: it is for stored properties, and a computed one changes with what \
            its getter reads
            """, 3, 5, title: "Remove @Observed", source: members("@Observed var a: Int { 1 }"),
            fixed: members("var a: Int { 1 }")),
        MendedRow(
            "The wrapper on a weak property",
            "a must not be marked with @Observed: @KeyValueObservable observes a weak property without it", 3, 5,
            title: "Remove @Observed", source: members("@Observed weak var a: Person?"),
            fixed: members("weak var a: Person?")),
        MendedRow(
            "A shared constant", "@KeyValueShared is for variables: a never changes", 3, 21,
            title: "Make it a variable", source: members("@KeyValueShared let a = 1"),
            fixed: members("@KeyValueShared var a = 1")),
        MendedRow(
            "A shared lazy property",
            """
            a must not be marked with @KeyValueShared: several threads could set up a lazy property at once
            """, 3, 5, title: "Remove @KeyValueShared", source: members("@KeyValueShared lazy var a = 1"),
            fixed: members("lazy var a = 1")),
        MendedRow(
            "A shared property of the type",
            """
            a must not be marked with @KeyValueShared: a property of the type has no object that could be observed
            """, 3, 5, title: "Remove @KeyValueShared", source: members("@KeyValueShared static var a = 1"),
            fixed: members("static var a = 1")),
        MendedRow(
            "Own code of a shared property",
            "a shared property runs no willSet and didSet: write @ObservedShared, and @unchecked Sendable for the class",
            3, 5,
            title: "Use the property wrapper", source: members("@KeyValueShared var a = 1 { didSet {} }"),
            fixed: members("@ObservedShared var a = 1 { didSet {} }")),
        MendedRow(
            "A shared value that is to be decoded",
            """
            a Decodable class does not decode a constant with a value: set the property in init, or write \
            @ObservedShared, and @unchecked Sendable for the class
            """, 3, 5, title: "Use the property wrapper",
            source: members("@KeyValueShared var a: Int?", of: "final class Person: Codable"),
            fixed: members("@ObservedShared var a: Int?", of: "final class Person: Codable")),
        MendedRow(
            "An answer that subclasses cannot override",
            "Person is not final, and its subclasses cannot answer for their properties", 3, 5, isWarning: true,
            title: policies[0], otherTitles: policies, source: members("static \(policy)", of: "class Person"),
            fixed: members("class \(policy)", of: "class Person")),
        MendedRow(
            "The same, in a class that could be final",
            "Person is not final, and its subclasses cannot answer for their properties", 3, 5, isWarning: true,
            title: policies[1], otherTitles: policies, source: members("static \(policy)", of: "class Person"),
            fixed: members("static \(policy)")),
        MendedRow(
            "A coding key that names a property with accessors", "a is stored in _a, which is to be coded", 4, 55,
            title: "Code what is stored",
            source: members(
                "var a = 1 { didSet {} }\nprivate enum CodingKeys: String, CodingKey { case a }",
                of: "final class Person: Encodable"),
            fixed: members(
                "var a = 1 { didSet {} }\nprivate enum CodingKeys: String, CodingKey { case _a = \"a\" }",
                of: "final class Person: Encodable")),
    ]

    @Test("A20 4.2 What cannot be observed is said, and can be mended", arguments: rows)
    func row(_ row: MendedRow) { row.check() }

    @Test(
        "17.1 What a Sendable class cannot share is said",
        arguments: [
            ("var a = 1 { didSet {} }", "", "a shared property runs no willSet and didSet"),
            ("weak var a: Person?", "", "a weak or unowned property cannot be shared"),
            ("var a = 1", ", Codable", "a Decodable class does not decode a constant with a value"),
            ("var a: Int?", ", Codable", "a Decodable class does not decode a constant with a value"),
        ])
    func unshared(_ property: String, _ conformances: String, _ message: String) {
        let source = members(property, of: "final class Person: Sendable\(conformances)")
        #expect(expand(source).messages.map { $0.hasPrefix(message) } == [true])
    }

    @Test("What is asked for by name is the literal true", arguments: ["false", "isCoded"])
    func coding(_ value: String) {
        expectMessages(
            of: "@KeyValueObservable(coding: \(value))\nfinal class Person {}",
            [
                DiagnosticSpec(
                    message:
                        "coding must be the literal true, because it is read before the program runs: otherwise leave it out",
                    line: 1, column: 29)
            ])
    }
}
