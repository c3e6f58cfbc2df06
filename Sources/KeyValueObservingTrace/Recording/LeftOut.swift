// What was left out, as far as it is needed to show what is true in the end.
import KeyValueObserving
import Synchronization

/// The last values of the changes and evaluations that were left out, until somebody asks for them.
struct LeftOut {
    /// A property of an object, or what is evaluated for observers of an object.
    final class Entry {
        private weak let target: AnyObject?
        let object: KeyValueTrace.Object
        let keyPath: String
        private var kind = HeldValue.Kind.unknown
        private(set) var value = HeldValue.unasked
        private(set) var order: UInt64 = 0
        private(set) var time = ContinuousClock.now
        /// How often it was evaluated.
        private(set) var evaluationCount = 0

        init(_ target: AnyObject, _ keyPath: String) {
            self.target = target
            self.keyPath = keyPath
            object = KeyValueTrace.Object(target)
        }

        /// Whether it is that of an object; another one may have the address once this one is gone.
        fileprivate func isOf(_ object: AnyObject) -> Bool { target === object }
        fileprivate var isGone: Bool { target == nil }

        fileprivate func update(
            _ kind: EngineTrace.Kind, _ value: Any?, length: Int, at time: ContinuousClock.Instant
        ) {
            if case .unknown = self.kind { self.kind = HeldValue.Kind(of: value) }
            self.value = HeldValue(value, self.kind, length: length)
            order = Order.next()
            self.time = time
            if kind == .evaluation { evaluationCount += 1 }
        }
    }

    private struct Key: Hashable {
        let object: ObjectIdentifier
        let place: EngineTrace.Place
    }

    private var entries: [Key: Entry] = [:]
    /// How many there may be before those are forgotten whose object is gone.
    private var entriesToKeep = LeftOut.entriesToKeep(beside: 0)
    /// How many characters of values are wanted.
    let valueLength: Int
    /// Some moment ago: the clock is not asked for each.
    var time = ContinuousClock.now

    init(valueLength: Int) {
        self.valueLength = valueLength
    }

    private static func entriesToKeep(beside count: Int) -> Int { max(1_024, count * 2) }

    /// Notes what is known already; false if it is not.
    mutating func update(
        _ place: EngineTrace.Place, of object: AnyObject, _ kind: EngineTrace.Kind, _ value: Any?
    ) -> Bool {
        guard let entry = entries[Key(object: ObjectIdentifier(object), place: place)], entry.isOf(object) else {
            return false
        }
        entry.update(kind, value, length: valueLength, at: time)
        return true
    }

    mutating func insert(_ entry: Entry, at place: EngineTrace.Place) {
        let key = Key(object: entry.object.identity, place: place)
        // Another thread may have been first.
        if let old = entries[key], !old.isGone { return }
        if entries.count >= entriesToKeep {
            entries = entries.filter { !$0.value.isGone }
            entriesToKeep = Self.entriesToKeep(beside: entries.count)
        }
        entries[key] = entry
    }

    /// What was left out since the last call, in order.
    mutating func take() -> [Entry] {
        defer { entries = [:] }
        time = .now
        return entries.values.sorted { $0.order < $1.order }
    }
}

/// The order in which values are noted.
enum Order {
    private static let last = Atomic<UInt64>(0)

    static var newest: UInt64 { last.load(ordering: .relaxed) }

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
