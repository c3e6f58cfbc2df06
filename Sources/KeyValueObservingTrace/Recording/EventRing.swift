// A ring of events.

/// The newest events, up to a capacity.
///
/// Their numbers follow one another, so the place of an event is found by its number.
struct EventRing {
    private var events: ContiguousArray<KeyValueTrace.Event> = []
    private let capacity: Int
    /// The number of the first event since the start.
    private let start: UInt64
    /// The number of the next event.
    private(set) var next: UInt64

    init(capacity: Int, from start: UInt64) {
        self.capacity = capacity
        self.start = start
        next = start
    }

    private func place(of number: UInt64) -> Int { Int((number - start) % UInt64(capacity)) }

    /// The number of the oldest event that is kept.
    private var oldest: UInt64 { next - UInt64(events.count) }

    /// Adds the event with the next number, which replaces the oldest one if the ring is full.
    mutating func append(_ event: KeyValueTrace.Event) {
        if events.count < capacity { events.append(event) } else { events[place(of: next)] = event }
        next += 1
    }

    /// The event with a number, if it is kept.
    subscript(number: UInt64) -> KeyValueTrace.Event? {
        number >= oldest && number < next ? events[place(of: number)] : nil
    }

    /// Changes an event, if it is kept.
    mutating func update(_ number: UInt64, _ body: (inout KeyValueTrace.Event) -> Void) {
        if number >= oldest, number < next { body(&events[place(of: number)]) }
    }

    /// Returns the newest events after a number, and how many later than that number are missing.
    func recent(after number: UInt64, newest count: Int) -> (events: [KeyValueTrace.Event], droppedCount: Int) {
        let first = max(min(number, next - 1) + 1, start)
        let from = next - min(next - max(first, oldest), UInt64(max(count, 0)))
        return ((from..<next).map { events[place(of: $0)] }, Int(from - first))
    }
}
