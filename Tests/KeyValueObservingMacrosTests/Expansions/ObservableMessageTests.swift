// What `@KeyValueObservable` says of code that it cannot make observable, and how it mends that.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Messages of @KeyValueObservable")
struct ObservableMessageTests {
    @Test("A20 A struct and an actor are errors, and can be made a final class")
    func noClass() {
        expectExpansion(
            of: """
                @KeyValueObservable
                struct Person {
                }
                """,
            is: """
                struct Person {
                }
                """,
            saying: [
                DiagnosticSpec(
                    message: """
                        @KeyValueObservable is for classes: a struct has no identity that observers could be \
                        registered on
                        """, line: 2, column: 1, fixIts: [FixItSpec(message: "Make it a final class")])
            ],
            fixIts: ["Make it a final class"],
            fixed: """
                @KeyValueObservable
                final class Person {
                }
                """)
        expectExpansion(
            of: """
                @KeyValueObservable
                actor Person {
                }
                """,
            is: """
                actor Person {
                }
                """,
            saying: [
                DiagnosticSpec(
                    message: "@KeyValueObservable is for classes: there are no key paths to the properties of an actor",
                    line: 2, column: 1, fixIts: [FixItSpec(message: "Make it a final class")])
            ],
            fixIts: ["Make it a final class"],
            fixed: """
                @KeyValueObservable
                final class Person {
                }
                """)
    }

    @Test("A20 @Observable beside it is an error, and can be removed")
    func observable() {
        expectMessage(
            """
            @Observable and @KeyValueObservable both change how the properties are stored. To have the class tracked by \
            Observation too, conform to KeyValueTrackable of KeyValueObservingObservation
            """, at: (1, 1), mending: "Remove @Observable",
            in: """
                @Observable @KeyValueObservable
                final class Person {
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                }
                """)
    }

    @Test("A20 A registrar that is there is not needed, and can be removed")
    func registrar() {
        expectMessage(
            "@KeyValueObservable declares the registrar: this one is not needed", at: (3, 5), .warning,
            mending: "Remove it",
            in: """
                @KeyValueObservable
                final class Person {
                    let keyValueRegistrar = KeyValueRegistrar()
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                }
                """)
    }

    @Test("A20 Several variables in one declaration are an error, and can be separated")
    func several() {
        expectMessage(
            "each observed property needs a declaration of its own: a, b, c", at: (3, 5),
            mending: "Make one declaration of each",
            in: """
                @KeyValueObservable
                final class Person {
                    var a = 1, b, c: Int
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                    var a = 1
                    var b: Int
                    var c: Int
                }
                """)
    }

    @Test("A20 A lazy property is not observed, which is said once")
    func lazyProperty() {
        expectMessage(
            """
            a lazy property is not observed. Observe an optional and fill it in a computed property, or mark it with \
            @NotObserved
            """, at: (3, 5), .warning, mending: "Mark it with @NotObserved",
            in: """
                @KeyValueObservable
                final class Person {
                    lazy var a = 1
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                    @NotObserved lazy var a = 1
                }
                """)
    }

    @Test("A20 A constant that is to be observed is an error, and can be made a variable")
    func constant() {
        expectMessage(
            "@Observed is for variables: a never changes", at: (3, 15), mending: "Make it a variable",
            in: """
                @KeyValueObservable
                final class Person {
                    @Observed let a = 1
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                    @Observed var a = 1
                }
                """)
    }

    @Test("A20 The wrapper on a computed property, or on a weak one, is an error, and can be removed")
    func computed() {
        expectMessage(
            """
            a must not be marked with @Observed: it is for stored properties, and a computed one changes with what its \
            getter reads
            """, at: (3, 5), mending: "Remove @Observed",
            in: """
                @KeyValueObservable
                final class Person {
                    @Observed var a: Int { 1 }
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                    var a: Int { 1 }
                }
                """)
        expectMessage(
            "a must not be marked with @Observed: @KeyValueObservable observes a weak property without it",
            at: (3, 5), mending: "Remove @Observed",
            in: """
                @KeyValueObservable
                final class Person {
                    @Observed weak var a: Person?
                }
                """,
            to: """
                @KeyValueObservable
                final class Person {
                    weak var a: Person?
                }
                """)
    }

    @Test("A20 4.2 Where subclasses cannot answer for their properties, that is said")
    func notFinal() {
        for (title, type, function) in [
            ("Let subclasses override it", "class", "class"), ("Make the class final", "final class", "static"),
        ] {
            expectMessage(
                "Person is not final, and its subclasses cannot answer for their properties", at: (3, 5), .warning,
                mending: title, others: ["Let subclasses override it", "Make the class final"],
                in: """
                    @KeyValueObservable
                    class Person {
                        static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }
                    }
                    """,
                to: """
                    @KeyValueObservable
                    \(type) Person {
                        \(function) func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }
                    }
                    """)
        }
    }

    @Test("A20 A coding key that names a property with accessors is an error, and can name what is stored")
    func codingKey() {
        expectMessage(
            "a is stored in _a, which is to be coded", at: (4, 55), mending: "Code what is stored",
            in: """
                @KeyValueObservable
                final class Person: Encodable {
                    var a = 1 { didSet {} }
                    private enum CodingKeys: String, CodingKey { case a }
                }
                """,
            to: """
                @KeyValueObservable
                final class Person: Encodable {
                    var a = 1 { didSet {} }
                    private enum CodingKeys: String, CodingKey { case _a = "a" }
                }
                """)
    }
}
