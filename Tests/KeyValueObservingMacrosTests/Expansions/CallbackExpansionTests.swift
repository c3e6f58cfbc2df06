// What `@WhenChanged` and `@KeyValueCallbacks` expand to, and what they say.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Expansion of @WhenChanged")
struct CallbackExpansionTests {
    @Test("A10 A11 A method gets the function that registers it; the class one that registers all")
    func registration() {
        expectExpansion(
            of: """
                @KeyValueCallbacks
                public final class Screen {
                    @WhenChanged(\\Person.age) func ageDidChange(_ new: Int, old: Int) {}
                }
                """,
            is: """
                public final class Screen {
                    func ageDidChange(_ new: Int, old: Int) {}

                    fileprivate static func _whenChanged_ageDidChange(newOld_Person_age source: Person, _ place: KeyValueObservingMacros._KeyValueCallbackPlace<Screen>) {
                        place.observe(source, \\Person.age, options: [.new, .old], fileID: "App/Screen.swift", line: 3) { observer, source, change in
                            observer.ageDidChange(change.newValue!, old: change.oldValue!)
                        }
                    }

                    private(set) lazy var kvo = KeyValueObserving.KVOController(observer: self)

                    /// Calls the methods that this class declares for an object, at each change of it.
                    public func observe(_ source: Person) {
                        let place = KeyValueObservingMacros._KeyValueCallbackPlace<Screen>(kvo)
                        Self._whenChanged_ageDidChange(newOld_Person_age: source, place)
                    }
                }
                """)
    }

    @Test(
        "A10 Of several methods of a name, the first in the order of the shapes is called, the others are warned of"
    )
    func order() {
        expectExpansion(
            of: """
                @KeyValueCallbacks
                final class Screen: KeyValueObservationOwner {
                    @WhenChanged(\\Person.age) func age(_ person: Person, new: Int) {}
                    @WhenChanged(\\Person.age) func age(_ new: Int) {}
                }
                """,
            is: """
                final class Screen: KeyValueObservationOwner {
                    func age(_ person: Person, new: Int) {}

                    fileprivate static func _whenChanged_age(sourceNew_Person_age source: Person, _ place: KeyValueObservingMacros._KeyValueCallbackPlace<Screen>) {
                        place.observe(source, \\Person.age, options: [.new], fileID: "App/Screen.swift", line: 3) { observer, source, change in
                            observer.age(source, new: change.newValue!)
                        }
                    }
                    func age(_ new: Int) {}

                    fileprivate static func _whenChanged_age(new_Person_age source: Person, _ place: KeyValueObservingMacros._KeyValueCallbackPlace<Screen>) {
                        place.observe(source, \\Person.age, options: [.new], fileID: "App/Screen.swift", line: 4) { observer, source, change in
                            observer.age(change.newValue!)
                        }
                    }

                    /// Calls the methods that this class declares for an object, at each change of it.
                    func observe(_ source: Person) {
                        let place = KeyValueObservingMacros._KeyValueCallbackPlace<Screen>(self)
                        Self._whenChanged_age(new_Person_age: source, place)
                    }
                }
                """,
            saying: [
                DiagnosticSpec(
                    message: """
                        this method is never called: of several with the same name, the one whose parameters come first \
                        among (new), (new, old), (source, new) and (source, new, old) is
                        """, line: 3, column: 5, severity: .warning)
            ])
    }

    @Test(
        "A10 A method of another shape is an error that lists the shapes",
        arguments: [
            "func age()", "func age(_ a: Int, _ b: Int)", "func age(_ new: Int) async", "func age(_ new: Int) throws",
            "static func age(_ new: Int)", "func age<T>(_ new: T)", "func age(_ a: A, new: Int, old: Int, more: Int)",
            "func age(old: Int, new: Int)", "func age(_ old: Int)", "func age(_ old: Int, new: Int, old: Int)",
        ])
    func shape(method: String) {
        let column = method.hasPrefix("static") ? 43 : 36
        expectRest(
            of: "@WhenChanged(\\Person.age) \(method) {}",
            DiagnosticSpec(
                message: """
                    age has no shape that @WhenChanged can call. The parameters must be (_ new:), (_ new:, old:), (_ \
                    source:, new:) or (_ source:, new:, old:), of a method of the object that neither waits nor throws
                    """, line: 3, column: column))
    }

    @Test("A10 What is not a key path with its type, and a first call without the old value that it needs, are errors")
    func arguments() {
        expectRest(
            of: "@WhenChanged(\\.age) func age(_ new: Int) {}",
            DiagnosticSpec(
                message: "write the type that the key path starts at, such as \\Person.age", line: 3, column: 18))
        expectRest(
            of: "@WhenChanged(keyPath) func age(_ new: Int) {}",
            DiagnosticSpec(
                message: "@WhenChanged needs a key path that is written down, such as \\Person.age", line: 3, column: 5)
        )
        expectRest(
            of: "@WhenChanged(\\Person.age, initial: true) func age(_ new: Int, old: Int) {}",
            DiagnosticSpec(
                message: "age is called with an old value, and the first call has none: leave out `initial`", line: 3,
                column: 5))
    }

    @Test(
        "A10 20.4 A property of the class itself that cannot be observed is an error",
        arguments: [
            ("let value = 1", "it is a constant"), ("@NotObserved var value = 1", "it is marked with @NotObserved"),
            ("@NotObserved lazy var value = 1", "it is marked with @NotObserved"),
            ("lazy var value = 1", "it is lazy"), ("var value: Int { Int(5) }", "its getter reads no property"),
        ])
    func unobservable(property: String, reason: String) {
        expectMessages(
            of: """
                @KeyValueCallbacks
                final class Screen {
                    @WhenChanged(\\Screen.value) func changed(_ new: Int) {}
                    \(property)
                }
                """,
            [DiagnosticSpec(message: "value cannot be observed: \(reason)", line: 3, column: 18)])
    }

    /// Expects a message of a method that is not called.
    private func expectRest(of method: String, _ message: DiagnosticSpec) {
        expectMessages(
            of: """
                @KeyValueCallbacks
                final class Screen {
                    \(method)
                }
                """,
            [message])
    }
}
