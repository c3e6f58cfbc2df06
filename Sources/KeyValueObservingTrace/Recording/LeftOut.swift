// The last values of unrecorded changes.
import KeyValueObserving
import Synchronization

/// The last values of the changes and evaluations that were left out, until they are needed.
struct LeftOut {
    /// A property of an object, or a key path or expression evaluated for observers of the object.
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

        /// Whether the entry belongs to an object; another object may have the address after this one has died.
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
    /// How many entries may be kept before those of dead objects are removed.
    private var entriesToKeep = LeftOut.entriesToKeep(beside: 0)
    /// How many characters of each value are kept.
    let valueLength: Int
    /// A recent time; the clock is not read for each entry.
    var time = ContinuousClock.now

    init(valueLength: Int) {
        self.valueLength = valueLength
    }

    private static func entriesToKeep(beside count: Int) -> Int { max(1_024, count * 2) }

    /// Updates an existing entry; false if there is none.
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

    /// Removes and returns the entries since the last call, in order.
    mutating func take() -> [Entry] {
        defer { entries = [:] }
        time = .now
        return entries.values.sorted { $0.order < $1.order }
    }
}

/// The order in which values are recorded.
enum Order {
    private static let last = Atomic<UInt64>(0)

    static var newest: UInt64 { last.load(ordering: .relaxed) }

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
