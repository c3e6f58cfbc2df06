// Classes with properties that several threads change.
import KeyValueObserving

final class Tally: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var count = 0
    @ObservedShared var other = 0
    @ObservedShared var items: [Int] = []
    @ObservedShared var tags: Set<String> = []
    @ObservedShared var table: [String: Int] = [:]
    @ObservedShared var next: Tally?
    @ObservedShared var nothing: Void = ()
    @Observed var plain = 0

    var double: Int { count * 2 }
    var sum: Int { count + other }
    var total: Int { items.reduce(0, +) }
}

/// Whether each change begins with the value that the one before ended with.
struct ValueChain: Sendable {
    private(set) var isWhole = true
    private(set) var last: Int?
    private(set) var length = 0

    mutating func add(_ old: Int?, _ new: Int?) {
        if let last, old != last { isWhole = false }
        last = new
        length += 1
    }
}
