// What an inspector needs to trace in small parts, and to read the events piece by piece.
import KeyValueObserving
import Synchronization

@_spi(Inspector)
extension KeyValueTrace {
    /// Whether tracing is on.
    public static var isOn: Bool { Recorder.shared.isOn }

    /// How often something was not recorded since the program began, because the limit had been reached.
    ///
    /// Registrations and their ends are always recorded.
    public static var unrecordedCount: Int { Recorder.shared.limit.leftOutCount }

    /// The newest events with a number above `number`, for who reads them piece by piece.
    ///
    /// Threads that make changes wait while events are read, so it takes less of their time to read some of them.
    ///
    /// - Parameters:
    ///   - number: The number of the last event that is known; 0 for none.
    ///   - count: How many to return, at most; not below 0.
    /// - Returns: The events, the oldest first, and how many of those after `number` are left out or not kept any more.
    /// - Complexity: Proportional to the number of events returned.
    public static func events(
        after number: UInt64, newest count: Int = .max
    ) -> (events: [Event], droppedCount: Int) {
        Recorder.shared.recent(after: number, newest: count)
    }

    /// The event with a number, as it is now; nil if it is not kept any more.
    ///
    /// It may have ended since it was read before.
    public static func event(_ number: UInt64) -> Event? { Recorder.shared.event(number) }

    /// Why an event happened, as from ``explain(_:in:)``: each sentence with the number of the event that it is about.
    ///
    /// Objects are called by their class and number.
    public static func sentences(about event: Event, in events: [Event]) -> [(number: UInt64, text: String)] {
        func named(_ event: Event) -> Event {
            var event = event
            event.object = event.object.map { object in
                let number = event.objectNumber.map { " \($0)" } ?? ""
                return Object(typeName: object.typeName + number, identity: object.identity)
            }
            return event
        }
        return Explanation(events.map(named)).sentences(about: named(event))
    }

    /// How many registrations were made before tracing began, whose numbers are no higher; nil if
    /// ``beginPart(capacity:valueLength:eventLimit:)`` did not begin it.
    public static var earlier: UInt64? { Recorder.shared.listing(\.settings).earlier }

    /// Traces until the part that is returned ends.
    ///
    /// If tracing is on already, it stays as it was started, whatever the settings given here, and goes on after the end.
    /// See ``withTrace(capacity:valueLength:_:)`` for a part that is one function.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are kept as text; 0 for none.
    ///   - eventLimit: How many events are recorded until ``Part/renewLimit()`` is called; at least 1. Those that come from
    ///     one that was recorded are recorded beyond it. So a program that makes many changes pays for a part of them only.
    ///     What is not used is saved for a burst of changes, up to 25 times as many.
    /// - Returns: The part, which ends with ``Part/end()``, or when nobody holds it any more.
    public static func beginPart(capacity: Int = 10_000, valueLength: Int = 0, eventLimit: Int = .max) -> Part {
        check(capacity, valueLength, eventLimit)
        let earlier = isOn ? nil : EngineTrace.newestRegistration
        return Part(
            Settings(capacity: capacity, valueLength: valueLength, eventLimit: eventLimit, earlier: earlier))
    }

    /// A part of the program that is traced: see ``beginPart(capacity:valueLength:eventLimit:)``.
    ///
    /// Its methods may be called from any thread.
    public final class Part: Sendable {
        /// The number of the beginning of the trace, if that began with this.
        private let beginning: Int?
        private let hasEnded = Atomic(false)

        fileprivate init(_ settings: Settings) {
            beginning = Recorder.shared.enter(settings).beginning
        }

        deinit { end() }

        /// Records as many events more as the limit says that it was begun with.
        ///
        /// Nothing happens if tracing was on already when it began, or was started since: the limit is not its own then.
        public func renewLimit() {
            if let beginning { Recorder.shared.renewLimit(ifSince: beginning) }
        }

        /// Ends it, and tracing, unless somebody else traces; what was traced can still be read.
        ///
        /// A second call does nothing.
        public func end() {
            if !hasEnded.exchange(true, ordering: .relaxed) { Recorder.shared.leave() }
        }
    }
}
