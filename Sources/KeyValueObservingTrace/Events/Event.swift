// One event of a trace.
import KeyValueObserving

extension KeyValueTrace {
    /// Something that happened to observed objects.
    public struct Event: Sendable {
        /// Counts the events of the process; later events have higher numbers.
        public let number: UInt64
        /// When it began.
        public let time: ContinuousClock.Instant
        /// Tells its thread from all others there were.
        public let thread: UInt64
        /// What happened.
        public internal(set) var kind: Kind
        /// The object that it concerns: the one that changed, or that the registration was made on.
        public internal(set) var object: Object?
        /// Tells the object from others of its class, for people.
        let objectNumber: Int?
        /// The property that changed, or what is observed, as in `observationInfo`.
        public internal(set) var keyPath: String?
        /// The number of the registration that it concerns; later registrations have higher numbers.
        public let registration: UInt64?
        /// For whom the registration was made, as in `observationInfo`.
        public let observer: String?
        /// The file that made the registration or the binding, as `Module/File.swift`.
        ///
        /// The place of an assignment is not known: a change has none. The handler that made it is its ``cause``.
        public let fileID: String?
        /// The line that made the registration or the binding.
        public let line: UInt?
        /// The number of the event that it comes from; nil if it comes from outside of all others.
        ///
        /// For a call of a handler that is the change, and for a change made inside a handler the call of that.
        public let cause: UInt64?
        /// Whether a handler is called before the change.
        public let isPrior: Bool
        /// How long it took; nil while it is under way.
        public internal(set) var duration: Duration?
        /// How some elements changed, such as `insertion at 2`; nil if the whole value was set.
        public internal(set) var elements: String?
        /// The start of the old value's description, or of that of the elements that left.
        public internal(set) var oldValue: String?
        /// The start of the new value's description, or of that of the elements that came.
        ///
        /// Of an evaluation it is the result's.
        public internal(set) var newValue: String?
    }

    /// What an event is.
    @nonexhaustive public enum Kind: String, Sendable, CaseIterable {
        /// A registration was made.
        case registration
        /// A registration ended.
        case end
        /// An observed property changed. It lasts until all have been notified, or in a transaction until it was noted.
        case change
        /// A computed property, a path or an expression was read to find what it depends on.
        case evaluation
        /// A handler was called.
        case delivery
        /// A handler with `.distinct` was not called, for the value is the one that it knows.
        case skip
        /// A transaction, with its deliveries.
        case transaction
        /// A change was put into the inbox of a handler that is called elsewhere.
        case inbox
        /// A change was taken out of an inbox and handled: by an actor or a queue, or by who iterates a sequence. What
        /// such an iteration does after that is not a part of it.
        case taken
        /// A binding set its target.
        case binding
    }

    /// An object, as an event knows it: a name, and what tells it from others that live at the same time.
    public struct Object: Sendable, Hashable {
        /// The name of its class.
        public let typeName: String
        /// Its identity.
        ///
        /// Another object may have it after this one is gone.
        public let identity: ObjectIdentifier

        init(typeName: String, identity: ObjectIdentifier) {
            self.typeName = typeName
            self.identity = identity
        }

        init(_ object: AnyObject) { self.init(typeName: TypeName.of(object), identity: ObjectIdentifier(object)) }
    }
}

extension KeyValueTrace.Event: CustomStringConvertible {
    /// One line, such as `#12 delivery total of Cart at Shop/Screen.swift:12, because of #11`.
    public var description: String {
        var text = "#\(number) \(kind.rawValue)"
        if let subject { text += " \(subject)" }
        if let elements { text += " \(elements)" }
        if oldValue != nil || newValue != nil { text += " \(oldValue ?? "·") → \(newValue ?? "·")" }
        if isPrior { text += " before the change" }
        if let place { text += " at \(place)" }
        if let cause { text += ", because of #\(cause)" }
        return text
    }

    /// What it concerns, such as `total of Cart`.
    var subject: String? {
        switch (keyPath, object) {
        case (let keyPath?, let object?): "\(keyPath) of \(object.typeName)"
        case (let keyPath?, nil): keyPath
        case (nil, let object?): object.typeName
        case (nil, nil): nil
        }
    }

    /// The place in the program, such as `Shop/Screen.swift:12`.
    var place: String? {
        guard let fileID, let line else { return nil }
        return "\(fileID):\(line)"
    }
}

extension KeyValueTrace.Kind: CustomStringConvertible {
    /// The kind as one word.
    public var description: String { rawValue }
}
