// Tracing in parts, and reading events in batches, for an inspector.
import KeyValueObserving
import Synchronization

@_spi(Inspector)
extension KeyValueTrace {
    /// Whether tracing is on.
    public static var isOn: Bool { Recorder.shared.isOn }

    /// How many events were not recorded since the program began, because the limit had been reached.
    ///
    /// Registrations and their ends are always recorded.
    public static var unrecordedCount: Int { Recorder.shared.limit.leftOutCount }

    /// Returns the newest events with a number above `number`, to read the trace in batches.
    ///
    /// Threads that make changes wait while events are read, so a smaller batch holds them up for less time.
    ///
    /// - Parameters:
    ///   - number: The number of the last event that is known; 0 for none.
    ///   - count: How many to return, at most; not below 0.
    /// - Returns: The events, the oldest first, and how many of those after `number` are left out or no longer kept.
    /// - Complexity: Proportional to the number of events returned.
    public static func events(
        after number: UInt64, newest count: Int = .max
    ) -> (events: [Event], droppedCount: Int) {
        Recorder.shared.recent(after: number, newest: count)
    }

    /// Returns the event with a number, as it is now; nil if it is no longer kept.
    ///
    /// It may have ended since you last read it.
    public static func event(_ number: UInt64) -> Event? { Recorder.shared.event(number) }

    /// Explains why an event happened, like ``explain(_:in:)``, with the number of the event that each sentence is
    /// about.
    ///
    /// Sentences name objects by their class and number.
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

    /// The number of the newest registration made before tracing began; nil if
    /// ``beginPart(capacity:valueLength:eventLimit:)`` did not begin it.
    ///
    /// All registrations with a number up to this one are older than the trace.
    public static var earlier: UInt64? { Recorder.shared.listing(\.settings).earlier }

    /// Traces until the returned part ends.
    ///
    /// If tracing is on already, it keeps the settings it was started with and goes on after the end. To trace one
    /// function, see ``withTrace(capacity:valueLength:_:)``.
    ///
    /// - Parameters:
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are kept as text; 0 for none.
    ///   - eventLimit: How many events are recorded until you call ``Part/renewLimit()``; at least 1. An event caused
    ///     by a recorded one is recorded beyond the limit, too. A program that makes many changes thus pays for a part
    ///     of them only. An unused allowance is saved for a burst of changes, up to 25 times the limit.
    /// - Returns: The part, which ends with ``Part/end()``, or when the last reference to it is released.
    public static func beginPart(capacity: Int = 10_000, valueLength: Int = 0, eventLimit: Int = .max) -> Part {
        check(capacity, valueLength, eventLimit)
        let earlier = isOn ? nil : EngineTrace.newestRegistration
        return Part(
            Settings(capacity: capacity, valueLength: valueLength, eventLimit: eventLimit, earlier: earlier))
    }

    /// A traced part of the program; see ``beginPart(capacity:valueLength:eventLimit:)``.
    ///
    /// You may call its methods from any thread.
    public final class Part: Sendable {
        /// The number of the beginning of the trace, if the trace began with this part.
        private let beginning: Int?
        private let hasEnded = Atomic(false)

        fileprivate init(_ settings: Settings) {
            beginning = Recorder.shared.enter(settings).beginning
        }

        deinit { end() }

        /// Allows as many further events as the limit that the part was begun with.
        ///
        /// Does nothing if tracing was on already when the part began, or was started since, because the limit then
        /// belongs to that trace.
        public func renewLimit() {
            if let beginning { Recorder.shared.renewLimit(ifSince: beginning) }
        }

        /// Ends the part, and tracing if nothing else traces; the recorded events stay readable.
        ///
        /// A second call does nothing.
        public func end() {
            if !hasEnded.exchange(true, ordering: .relaxed) { Recorder.shared.leave() }
        }
    }
}
