// Classes that the macro declares, of all sorts.
import KeyValueCoding
public import KeyValueObserving
public import KeyValueObservingMacros

@KeyValueObservable
class Person {
    let id = 7
    var age = 0
    private(set) var tags: [String] = []
    var friend: Person?
    @NotObserved var cache: [Int] = []
    static let kind = "person"
    var isAdult: Bool { age >= 18 }
    var title: String { "Dr. \(age)" }

    func tag(_ tag: String) { tags.append(tag) }
}

@KeyValueObservable
final class Student: Person {
    var school = "none"
    var grade = 1 { didSet { grades.append(oldValue) } }
    @NotObserved var grades: [Int] = []
    var label: String { "\(school) \(grade)" }

    override var title: String { "Student \(age)" }
}

/// A property for each kind of own code.
@KeyValueObservable
final class Document {
    var log: [String] = []
    var name: String {
        willSet { note("willSet \(name) to \(newValue)") }
        didSet {
            note("didSet \(oldValue) to \(name)")
            if name.count > 5 { name = String(name.prefix(5)) }
        }
    }
    var pages: [Int] = [] { didSet { note("pages \(oldValue.count) to \(pages.count)") } }
    /// Without `oldValue`, Swift changes it in place.
    var items: [Int] = [] { didSet { sets += 1 } }
    @NotObserved var sets = 0
    weak var owner: Person?
    weak var delegate: Person? { didSet { note("delegate \(oldValue?.age ?? -1) to \(delegate?.age ?? -1)") } }
    unowned var root: Person

    init(name: String, root: Person) {
        self.root = root
        self.name = name
    }

    private func note(_ line: String) { log.append(line) }
}

/// A class whose keys are known, with one that is under a condition.
@KeyValueObservable(coding: true)
class Account {
    var balance = 0
    var isOpen = true
    weak var holder: Person?
    #if DEBUG
    var note = "debug"
    #else
    var note = "release"
    #endif
    let number = 12
    var isRich: Bool { balance > 1_000_000 }
}

@KeyValueObservable(coding: true)
final class Savings: Account {
    var rate = 0.5 { didSet { changes += 1 } }
    @NotObserved var changes = 0
}

@KeyValueObservable
final class Box<Value> {
    var value: Value
    var watched: Value { didSet { count += 1 } }
    var count = 0

    init(_ value: Value) {
        self.value = value
        watched = value
    }
}

@MainActor
@KeyValueObservable(coding: true)
class ViewModel {
    var text = ""
    var query = "" { didSet { queries.append(query) } }
    var queries: [String] = []
    weak var parent: ViewModel?
    var shout: String { query.uppercased() }
}

@MainActor
@KeyValueObservable
final class SearchModel: ViewModel {
    var limit = 10
    var results: Int { limit + query.count }
}

/// Every access level, as another module would see it.
@KeyValueObservable
open class OpenModel {
    /// Set by anybody.
    public var width = 1
    /// Overridden by anybody.
    open var height = 2 { didSet { note(height) } }
    /// Set by its own code.
    fileprivate(set) public var area = 2
    package var depth = 3
    private var secret = 4

    /// A model of the default size.
    public init() {}

    private func note(_ height: Int) { area = width * height * secret / 4 }
}

@KeyValueObservable
final class Coded: Codable {
    let kind: String
    var name = ""
    var size = 1 { didSet { count += 1 } }
    var note: String?
    @NotObserved var count = 0
    #if DEBUG
    var hint = "h"
    #else
    let hint = "h"
    #endif

    init(kind: String) { self.kind = kind }
}

/// With keys of its own.
@KeyValueObservable
final class CodedByHand: Codable {
    var name = ""
    var size = 1 { didSet {} }

    private enum CodingKeys: String, CodingKey {
        case name = "n"
        case _size = "s"
    }
}

/// A class that says so itself.
@KeyValueObservable
final class Explicit: KeyValueObservable {
    var value = 0
}

/// A superclass that is declared by hand.
class HandMade: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 1
}

@KeyValueObservable
final class MadeOfHandMade: HandMade {
    var second = 2
    var both: Int { first + second }
}

/// With a wrapper of its own, which stays.
@KeyValueObservable
final class Mixed {
    @ObservedShared var shared = 1
    @KeyValueShared var kept = 6
    @Observed var byHand = 2 { didSet { order.append("didSet") } }
    @Doubled var doubled = 3
    @NotObserved var order: [String] = []
    var `default` = 4
    var `class` = 5 { didSet { order.append("\(`class`)") } }
}

/// A class that the compiler checks for being `Sendable`.
@KeyValueObservable(coding: true)
final class HitCounter: Sendable, Encodable {
    var hits = 0
    private(set) var names: [String] = []
    @KeyValueShared var owner: String?
    var unit: String!
    var limit: Int
    static let kind = "hits"
    var isFull: Bool { hits >= limit }

    init(limit: Int) { self.limit = limit }

    func add(_ name: String) { names.append(name) }
}

/// One that is decoded: its properties are initialized there.
@KeyValueObservable
final class DecodedLimit: Sendable, Codable {
    var limit: Int
    let unit: String
}

/// One that the compiler does not check.
@KeyValueObservable
final class UncheckedModel: @unchecked Sendable {
    var count = 0 { didSet { sets += 1 } }
    @NotObserved var sets = 0
}

@propertyWrapper
struct Doubled {
    var wrappedValue: Int { didSet { wrappedValue *= 2 } }
}
