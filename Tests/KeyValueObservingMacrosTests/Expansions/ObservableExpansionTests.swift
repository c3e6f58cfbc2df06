// What `@KeyValueObservable` expands to.
import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Expansion of @KeyValueObservable")
struct ObservableExpansionTests {
    @Test("20.1 A plain property gets the wrapper; the class its registrar, its names and its conformances")
    func plain() {
        expectExpansion(
            of: """
                @KeyValueObservable
                public final class Person {
                    let id = 1
                    public private(set) var age = 0
                    var isAdult: Bool { age >= 18 }
                    @NotObserved var cache = 0
                    @Published var other = 0
                    static var count = 0
                }
                """,
            is: """
                public final class Person {
                    let id = 1
                    @KeyValueObserving.Observed
                    public private(set) var age = 0
                    var isAdult: Bool { age >= 18 }
                    var cache = 0
                    @Published var other = 0
                    static var count = 0

                    public nonisolated let keyValueRegistrar = KeyValueObserving.KeyValueRegistrar()

                    public static func _noteNames() {
                        KeyValueObservingMacros._KeyValueNames.note(of: Person.self) { note in
                            note(\\Person.id, "id")
                            note(\\Person.age, "age")
                            note(\\Person.isAdult, "isAdult")
                            note(\\Person.other, "other")
                        }
                    }
                }

                extension Person: nonisolated KeyValueObserving.KeyValueObservable {
                }

                extension Person: KeyValueObservingMacros._KeyValueDeclared {
                }
                """)
    }

    @Test("20.2 A property with code of its own, and a weak one, go through accessors")
    func withAccessors() {
        expectExpansion(
            of: """
                @KeyValueObservable
                class Person {
                    var name = "" { didSet { save() } }
                    weak var owner: Person?
                    lazy var late = 0
                    override var inherited: Int { didSet {} }
                }
                """,
            is: """
                class Person {
                    @KeyValueObservingMacros._ObservedByAccessors
                    var name = "" { didSet { save() } }
                    @KeyValueObservingMacros._ObservedByAccessors
                    weak var owner: Person?
                    lazy var late = 0
                    override var inherited: Int { didSet {} }

                    nonisolated final let keyValueRegistrar = KeyValueObserving.KeyValueRegistrar()

                    class func _noteNames() {
                        KeyValueObservingMacros._KeyValueNames.note(of: Person.self) { note in
                            note(\\Person.name, "name")
                            note(\\Person.owner, "owner")
                            note(\\Person.late, "late")
                        }
                    }
                }

                extension Person: nonisolated KeyValueObserving.KeyValueObservable {
                }

                extension Person: KeyValueObservingMacros._KeyValueDeclared {
                }
                """,
            saying: [
                DiagnosticSpec(
                    message: """
                        a lazy property is not observed. Observe an optional and fill it in a computed property, or \
                        mark it with @NotObserved
                        """, line: 5, column: 5, severity: .warning,
                    fixIts: [FixItSpec(message: "Mark it with @NotObserved")])
            ])
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

    @Test("D23 A shared property is stored in a constant; without a value, where the class initializes it")
    func shared() {
        expectExpansion(
            of: #"""
                final class Counter: Sendable {
                    @ObservedShared var hits = 0
                    @ObservedShared var `default`: [Int]
                }
                """#,
            is: #"""
                final class Counter: Sendable {
                    var hits {
                        get {
                            return KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.hits, storage: \._hits]
                        }
                        set {
                            KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.hits, storage: \._hits] = newValue
                        }
                        _modify {
                            yield &KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.hits, storage: \._hits]
                        }
                    }

                    private let _hits = KeyValueObserving.ObservedShared(wrappedValue: 0)
                    var `default`: [Int] {
                        @storageRestrictions(initializes: _default)
                        init(initialValue) {
                            _default = KeyValueObserving.ObservedShared(wrappedValue: initialValue)
                        }
                        get {
                            return KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.`default`, storage: \._default]
                        }
                        set {
                            KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.`default`, storage: \._default] = newValue
                        }
                        _modify {
                            yield &KeyValueObserving.ObservedShared[_enclosingInstance: self, wrapped: \.`default`, storage: \._default]
                        }
                    }

                    private let _default: KeyValueObserving.ObservedShared<[Int]>
                }
                """#)
    }

    @Test("20.3 A class that asks for it gets a table of keys, under the conditions of its members")
    func coding() {
        expectExpansion(
            of: """
                @MainActor
                @KeyValueObservable(coding: true)
                final class Account: Encodable {
                    var balance = 0
                    #if DEBUG
                    var note = ""
                    #else
                    let release = 1
                    #endif
                    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
                }
                """,
            is: """
                @MainActor
                final class Account: Encodable {
                    @KeyValueObserving.Observed
                    var balance = 0
                    #if DEBUG
                    var note = ""
                    #else
                    let release = 1
                    #endif
                    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }

                    nonisolated let keyValueRegistrar = KeyValueObserving.KeyValueRegistrar()

                    static func _noteNames() {
                        KeyValueObservingMacros._KeyValueNames.note(of: Account.self) { note in
                            note(\\Account.balance, "balance")
                            #if DEBUG
                            note(\\Account.note, "note")
                            #else
                            note(\\Account.release, "release")
                            #endif
                        }
                    }

                    static var keyPathsByKey: [String: AnyKeyPath] {
                        var table: [String: AnyKeyPath] = [:]
                        table["balance"] = \\Account.balance
                        #if DEBUG
                        table["note"] = \\Account.note
                        #else
                        table["release"] = \\Account.release
                        #endif
                        return table
                    }

                    private enum CodingKeys: String, CodingKey {
                        case balance = "balance"
                        #if DEBUG
                        case note = "note"
                        #else
                        case release = "release"
                        #endif
                    }
                }

                extension Account: @MainActor KeyValueObserving.KeyValueObservable {
                }

                extension Account: @MainActor KeyValueObservingMacros._KeyValueDeclared {
                }

                extension Account: @MainActor KeyValueCoding.KeyValueCodable {
                }
                """)
    }
}
