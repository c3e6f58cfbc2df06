// What the engine reports to whoever traces it.
import CKeyValueObserving
import Synchronization

/// Receives what happens in the engine while it is installed.
///
/// Each event has a number, which these methods return or are given. No lock of the library is held while they are
/// called.
package protocol EngineTracer: AnyObject, Sendable {
    /// A registration was made.
    func noteRegistration(_ registration: EngineTrace.Registered, on object: AnyObject, cause: UInt64)

    /// A registration ended.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - cause: The event inside which it ended.
    ///   - describe: Describes it, if it is not known.
    func noteEnd(of number: UInt64, cause: UInt64, _ describe: () -> EngineTrace.Registered)

    /// A handler is about to be called.
    ///
    /// - Parameters:
    ///   - number: The number of its registration.
    ///   - object: The object that it was made on.
    ///   - isPrior: Whether the change is still to be made.
    ///   - cause: The change, or 0 for the initial call.
    ///   - describe: Describes the registration, if it is not known.
    /// - Returns: The number of the event.
    func beginDelivery(
        to number: UInt64, of object: AnyObject, isPrior: Bool, cause: UInt64, _ describe: () -> EngineTrace.Registered
    ) -> UInt64

    /// Something else begins.
    ///
    /// - Parameters:
    ///   - kind: What.
    ///   - object: The object that it concerns.
    ///   - name: The property that it concerns.
    ///   - place: Where in the program it comes from, if that is known.
    ///   - cause: The event that it comes from.
    /// - Returns: The number of the event.
    func begin(
        _ kind: EngineTrace.Kind, of object: AnyObject?, _ name: EngineTrace.Name?,
        at place: (fileID: StaticString, line: UInt)?,
        cause: UInt64
    ) -> UInt64

    /// Notes the values of an event.
    ///
    /// - Parameters:
    ///   - event: Its number.
    ///   - elements: How some elements change; nil if the whole value does.
    ///   - values: The old and the new value, or the elements that leave and come.
    func noteValues(of event: UInt64, _ elements: String?, _ values: () -> (old: Any?, new: Any?))

    /// An event has ended.
    ///
    /// - Parameters:
    ///   - event: Its number.
    ///   - isSkipped: Whether the handler was not called after all, since the value is the one that it knows.
    func end(_ event: UInt64, isSkipped: Bool)
}

extension EngineTracer {
    /// Something begins that comes from no place that is known.
    func begin(
        _ kind: EngineTrace.Kind, of object: AnyObject?, _ name: EngineTrace.Name?, cause: UInt64
    ) -> UInt64 { begin(kind, of: object, name, at: nil, cause: cause) }

    func end(_ event: UInt64) { end(event, isSkipped: false) }
}

/// Reporting what happens to a tracer.
///
/// The engine asks ``isOn`` where it is about to call somebody: one load and a branch. Everything else about tracing is
/// in functions that are called only then.
///
/// An event that takes some time is *under way* on its thread until it ends, and events that begin meanwhile have it as
/// their cause. So the cause is a word of the thread.
package enum EngineTrace {
    /// What an event is about.
    package enum Kind: Sendable {
        /// A property changes.
        case change
        /// A key path or an expression is read to find what it depends on.
        case evaluation
        case transaction
        /// A change was put into an inbox.
        case inbox
        /// A change was taken out of an inbox, and its handler is called.
        case taken
        /// A binding sets its target.
        case binding
    }

    /// A registration, for listings.
    package struct Registered: Sendable {
        package let number: UInt64
        /// What is observed.
        package let keyPath: String
        package let observer: String?
        package let fileID: String
        package let line: UInt
    }

    /// A property or a key path, by what it is called.
    package struct Name {
        /// Identifies it among all there ever were, if that is possible: so the text is made once.
        package let identity: ObjectIdentifier?
        package let text: () -> String

        init(_ identity: ObjectIdentifier? = nil, _ text: @escaping () -> String) {
            self.identity = identity
            self.text = text
        }
    }

    // MARK: The tracer that is installed

    /// The address of the tracer, retained, or 0.
    ///
    /// It is stored with releasing order. ``isOn`` needs no order; who then asks for the tracer acquires.
    private static let word = Synchronization.Atomic<UInt>(0)

    /// Whether somebody traces.
    @inline(__always) static var isOn: Bool { word.load(ordering: .relaxed) != 0 }

    /// Whether what is about to happen is to be reported.
    ///
    /// Inside an event everything is, so that chains of causes are whole. What else is left out, because the tracer has had
    /// as many events as it allowed, is only counted.
    @inline(__always) static var isReporting: Bool { _slowPath(isOn) && mayReport() }

    /// How many events may still begin that have no cause.
    private static let allowance = Synchronization.Atomic<Int>(.max)
    private static let leftOut = Synchronization.Atomic<Int>(0)

    @inline(never)
    private static func mayReport() -> Bool {
        if allowance.load(ordering: .relaxed) > 0 || kvo_event() != 0 { return true }
        leftOut.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// Allows so many events until the next call; all events count.
    package static func allow(_ count: Int) { allowance.store(count, ordering: .relaxed) }

    /// Notes that an event has begun.
    package static func noteEvent() { allowance.wrappingSubtract(1, ordering: .relaxed) }

    /// How often something was left out.
    package static var leftOutCount: Int { leftOut.load(ordering: .relaxed) }

    /// Whoever traces.
    static var current: (any EngineTracer)? {
        Unretained<Installed>(at: word.load(ordering: .acquiring)).map { $0.with { $0.tracer } }
    }

    /// A tracer that may be installed.
    package final class Installed: Sendable {
        fileprivate let tracer: any EngineTracer

        package init(_ tracer: any EngineTracer) {
            self.tracer = tracer
        }
    }

    /// Reports to a tracer from now on, which lives as long as the process; nil for none.
    package static func install(_ tracer: Installed?) {
        word.store(
            tracer.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0, ordering: .releasing)
    }

    // MARK: What is under way on a thread

    /// A number that no other thread has or had.
    package static var thread: UInt64 { ThisThread.number }

    /// The event inside which this thread runs, or 0.
    package static var cause: UInt64 { kvo_event() }

    /// Runs `body` inside an event.
    @inline(never)
    static func inside<Result, Failure: Error>(
        _ event: UInt64, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = kvo_event()
        kvo_set_event(event)
        defer { kvo_set_event(outer) }
        return try body()
    }

    /// Runs `body` as an event that begins and ends with it, if somebody traces.
    @inline(never)
    static func during<Result, Failure: Error>(
        _ begin: (any EngineTracer) -> UInt64, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = Span(begin)
        defer { span.end() }
        return try body()
    }

    /// An event that is under way on this thread, from when this is made until `end`.
    struct Span {
        /// Its number; 0 if nobody traces.
        let event: UInt64
        /// The event around it.
        private let outer: UInt64

        /// No event.
        static var none: Span { Span(event: 0, outer: 0) }

        private init(event: UInt64, outer: UInt64) {
            self.event = event
            self.outer = outer
        }

        /// Begins an event, if somebody traces.
        init(_ begin: (any EngineTracer) -> UInt64) {
            outer = kvo_event()
            event = current.map(begin) ?? 0
            if event != 0 { kvo_set_event(event) }
        }

        /// Ends it, on the same thread.
        func end() {
            if event == 0 { return }
            kvo_set_event(outer)
            current?.end(event)
        }
    }
}
