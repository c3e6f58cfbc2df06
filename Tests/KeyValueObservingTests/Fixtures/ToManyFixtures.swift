// The classes whose to-many properties the tests change.
import KeyValueObserving
import TestSupport

/// Has an array, a set and a dictionary, stored and computed.
class Band: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var members: [String]
    @Observed var genres: Set<String>
    @Observed var ages: [String: Int]
    @Observed var rival: Band?

    /// The same array, by a getter and a setter.
    var lineUp: [String] {
        get { members }
        set { members = newValue }
    }
    /// Keeps something else than it is given.
    var shouted: [String] {
        get { members.map { $0.uppercased() } }
        set { members = newValue.map { $0.lowercased() } }
    }
    var styles: Set<String> {
        get { genres }
        set { genres = newValue }
    }
    var size: Int { members.count }
    /// Reads through a view.
    var firstMember: String? { mutable(\.members).first }

    init(_ members: [String] = [], genres: Set<String> = [], ages: [String: Int] = [:]) {
        self.members = members
        self.genres = genres
        self.ages = ages
    }
}

/// Shows two members at the most.
class ShortBand: Band {
    override var members: [String] {
        get { super.members.count > 2 ? Array(super.members.prefix(2)) : super.members }
        set { super.members = newValue }
    }
}

/// A to-many change as text: "insertion [2] ·→["c"]"; sets and dictionaries are sorted.
func toManyText<Value>(of change: KeyValueObservedChange<Value>) -> String {
    func text(_ value: Any?) -> String {
        switch value {
        case nil: "·"
        case let set as Set<String>: "\(set.sorted())"
        case let set as Set<Int>: "\(set.sorted())"
        case let ages as [String: Int]: "\(ages.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" })"
        case let value?:
            if let child = Mirror(reflecting: value).children.first, Mirror(reflecting: value).displayStyle == .optional
            {
                "\(child.value)"
            } else {
                "\(value)"
            }
        }
    }
    let indexes = change.indexes.map { " \(Array($0.ranges.joined()))" } ?? ""
    let prior = change.isPrior ? "prior " : ""
    return "\(prior)\(change.kind)\(indexes) \(text(change.oldValue))→\(text(change.newValue))"
}

extension Log {
    func addToMany<Value>(_ change: KeyValueObservedChange<Value>, as name: String? = nil) {
        add((name.map { "\($0) " } ?? "") + toManyText(of: change))
    }
}

extension RangeSet<Int> {
    /// Single positions, in any order.
    init(_ positions: Int...) {
        self.init(positions.map { $0..<($0 + 1) })
    }
}
