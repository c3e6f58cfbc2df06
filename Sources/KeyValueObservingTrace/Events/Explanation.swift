// Why an event happened, in words.

extension KeyValueTrace {
    /// Explains why an event happened, as sentences about its chain of causes.
    ///
    /// ```swift
    /// let (_, events) = KeyValueTrace.withTrace(valueLength: 40) { person.age = 18 }
    /// if let call = events.last(where: { $0.kind == .delivery }) {
    ///     print(KeyValueTrace.explain(call, in: events))
    /// }
    /// ```
    ///
    /// The first sentence is about the event, and each further one about the cause of the one before. A sentence names
    /// a handler or a binding by the line that made it. If a handler, a binding or a getter set a property, a sentence
    /// names it; otherwise the last sentence says that it was none of these.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - events: The events to search for causes, in the order of their numbers; by default ``events``.
    /// - Returns: The sentences, one on each line.
    public static func explain(_ event: Event, in events: [Event] = KeyValueTrace.events) -> String {
        Explanation(events).sentences(about: event).map(\.text).joined(separator: "\n")
    }
}

/// Finds the sentences about an event.
struct Explanation {
    private let events: [KeyValueTrace.Event]

    init(_ events: [KeyValueTrace.Event]) {
        self.events = events
    }

    /// The event with a number, if it is among the events.
    private func event(_ number: UInt64) -> KeyValueTrace.Event? {
        var (low, high) = (events.startIndex, events.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < events.endIndex && events[low].number == number ? events[low] : nil
    }

    private func cause(of event: KeyValueTrace.Event) -> KeyValueTrace.Event? { event.cause.flatMap(self.event) }

    /// The sentences about an event and its causes.
    func sentences(about event: KeyValueTrace.Event) -> [(number: UInt64, text: String)] {
        var sentences: [(number: UInt64, text: String)] = []
        var next: KeyValueTrace.Event? = event
        // The numbers of causes are lower, so this ends.
        while let current = next {
            sentences.append((current.number, sentence(about: current)))
            next = following(current)
        }
        return sentences
    }

    /// The event that the next sentence is about.
    private func following(_ event: KeyValueTrace.Event) -> KeyValueTrace.Event? {
        // The library's own call adds a change to a buffer, so it is skipped.
        event.kind == .taken ? cause(of: event).flatMap(cause).flatMap(cause) : cause(of: event)
    }

    private func sentence(about event: KeyValueTrace.Event) -> String {
        let subject = event.subject ?? "a property"
        switch event.kind {
        case .delivery:
            return "\(event.capitalizedHandler) was called \(reason(of: event))."
        case .inbox:
            return "A change was put into the inbox of \(event.handler)."
        case .skip:
            return
                "\(event.capitalizedHandler) was not called, since the value is the one it knows, \(reason(of: event))."
        case .taken:
            let origin = cause(of: event).flatMap(cause).map { " " + reason(of: $0) } ?? ""
            return
                "\(event.capitalizedHandler) was called on thread \(event.thread), with a change that waited,\(origin)."
        case .change:
            let how = event.elements.map { "changed by \($0)" } ?? "was set\(event.values)"
            return "\(subject) \(how)\(origin(of: event))."
        case .evaluation:
            return "\(subject) was read to find what it depends on\(origin(of: event))."
        case .binding:
            return "The binding\(event.place.map { " made at \($0)" } ?? "") set \(subject)\(origin(of: event))."
        case .transaction:
            return "The transaction was run\(origin(of: event))."
        case .registration:
            return "\(subject) was observed\(event.place.map { " at \($0)" } ?? "")\(origin(of: event))."
        case .end:
            return
                "The observation of \(subject)\(event.place.map { ", made at \($0)," } ?? "") ended\(origin(of: event))."
        }
    }

    /// Why a handler was called.
    private func reason(of call: KeyValueTrace.Event) -> String {
        guard call.cause != nil else { return "with the initial value" }
        guard let change = cause(of: call) else { return "because of a change that is not kept any more" }
        let when = call.isPrior ? "is about to change" : "changed"
        let isSame = change.object == call.object && change.keyPath == call.keyPath
        let role = isSame ? "" : ", which \(call.subject ?? "it") depends on,"
        return "because \(change.subject ?? "a property")\(role) \(when)\(change.values)"
    }

    private func origin(of event: KeyValueTrace.Event) -> String {
        if event.cause == nil { return " on thread \(event.thread), outside of any handler" }
        return Self.origin(of: event, self.event).map { " " + $0 } ?? " because of an event that is not kept any more"
    }

    /// Where a change was made, such as in a handler; nil if that is not known.
    static func origin(
        of event: KeyValueTrace.Event, _ find: (UInt64) -> KeyValueTrace.Event?
    ) -> String? {
        guard let cause = event.cause.flatMap(find) else { return nil }
        let subject = cause.subject ?? "a property"
        return switch cause.kind {
        case .delivery, .taken, .inbox, .skip: "in \(cause.handler)"
        case .binding: "by the binding\(cause.place.map { " made at \($0)" } ?? "")"
        case .transaction: "in a transaction"
        case .evaluation: "by the getter of \(subject), which was being read"
        case .change: "because \(subject) changed"
        case .registration, .end: "with the registration of \(subject)"
        }
    }
}

extension KeyValueTrace.Event {
    /// The handler that the event is about.
    fileprivate var handler: String {
        let place = place.map { " registered at \($0)" } ?? ""
        return "the handler\(place) for \(subject ?? "a property")"
    }

    fileprivate var capitalizedHandler: String { "The" + handler.dropFirst(3) }

    /// The old and new values of a property, if they are kept.
    fileprivate var values: String {
        (oldValue.map { " from \($0)" } ?? "") + (newValue.map { " to \($0)" } ?? "")
    }
}
