// What `@KeyValueObservable` expands to.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Expansion of @KeyValueObservable")
struct ObservableExpansionTests {
    @Test("20.1 20.2 A plain property gets the wrapper, one with code of its own, and a weak one, go through accessors")
    func declared() {
        expectExpansion(
            of: """
                @KeyValueObservable
                public class Person {
                    let id = 1
                    public private(set) var age = 0
                    var isAdult: Bool { age >= 18 }
                    @NotObserved var cache = 0
                    @Published var other = 0
                    static var count = 0
                    var name = "" { didSet { save() } }
                    weak var owner: Person?
                    override var inherited: Int { didSet {} }
                }
                """,
            is: """
                public class Person {
                    let id = 1
                    @KeyValueObserving.Observed
                    public private(set) var age = 0
                    var isAdult: Bool { age >= 18 }
                    var cache = 0
                    @Published var other = 0
                    static var count = 0
                    @KeyValueObservingMacros._ObservedByAccessors
                    var name = "" { didSet { save() } }
                    @KeyValueObservingMacros._ObservedByAccessors
                    weak var owner: Person?
                    override var inherited: Int { didSet {} }

                    public nonisolated final let keyValueRegistrar = KeyValueObserving.KeyValueRegistrar()

                    public class func _noteNames() {
                        KeyValueObservingMacros._KeyValueNames.note(of: Person.self) { note in
                            note(\\Person.id, "id")
                            note(\\Person.age, "age")
                            note(\\Person.isAdult, "isAdult")
                            note(\\Person.other, "other")
                            note(\\Person.name, "name")
                            note(\\Person.owner, "owner")
                        }
                    }
                }

                extension Person: nonisolated KeyValueObserving.KeyValueObservable {
                }

                extension Person: KeyValueObservingMacros._KeyValueDeclared {
                }
                """)
    }

    @Test(
        "20.2 Own code moves to the storage, and names that, also if something is called like it; closures go through accessors"
    )
    func ownCode() {
        expectExpansion(
            of: #"""
                class Person {
                    @_ObservedByAccessors var name: String = "" {
                        willSet(name) { print(name, self.name) }
                        didSet {
                            name = name.trimmed
                            self.name.append("\(name)")
                            other.name = \Person.name
                            later { self.name = "y" }
                        }
                    }
                }
                """#,
            is: #"""
                class Person {
                    var name: String {
                        willSet(name) { print(name, self.name) }
                        didSet {
                            name = name.trimmed
                            self.name.append("\(name)")
                            other.name = \Person.name
                            later { self.name = "y" }
                        }
                        @storageRestrictions(initializes: _name)
                        init(initialValue) {
                            _name = initialValue
                        }

                        get {
                            accessValue(for: \.name)
                            return _name
                        }

                        set {
                            let change = KeyValueObservingMacros._KeyValueChange(of: \.name, in: self)
                            _name = newValue
                            change.end()
                        }

                        _modify {
                            let access = KeyValueObservingMacros._KeyValueAccess(to: \.name, of: self)
                            defer {
                                access.end()
                            }
                            yield &_name
                        }
                    }

                    @KeyValueObservingMacros.NotObserved private var _name: String = "" {
                            willSet(name) {
                                print(name, self._name)
                            }
                            didSet {
                                _name = _name.trimmed
                                self._name.append("\(_name)")
                                other.name = \Person.name
                                later {
                                    self.name = "y"
                                }
                            }
                        }
                }
                """#)
    }

    @Test(
        "17.1 The variables of a class that is declared Sendable are shared, unless an actor protects them",
        arguments: [
            ("final class Counter: Sendable", "var hits = 0", "KeyValueObservingMacros.KeyValueShared"),
            ("final class Counter: Model, Swift.Sendable", "var hits: Int?", "KeyValueObservingMacros.KeyValueShared"),
            ("@MainActor final class Counter: Sendable", "var hits = 0", "KeyValueObserving.Observed"),
            ("final class Counter: @unchecked Sendable", "var hits = 0", "KeyValueObserving.Observed"),
            ("final class Counter: Model", "var hits = 0", "KeyValueObserving.Observed"),
        ])
    func shared(_ type: String, _ property: String, _ mark: String) {
        let expansion = expand("@KeyValueObservable \(type) {\n    \(property)\n}", only: ["KeyValueObservable"])
        #expect(expansion.text.contains("    @\(mark)\n    \(property)\n"))
    }
}
