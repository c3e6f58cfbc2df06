// One event of a trace.
import KeyValueObserving

extension KeyValueTrace {
    /// Something that happened to observed objects.
    public struct Event: Sendable {
        /// The event's number in the process; later events have higher numbers.
        public let number: UInt64
        /// When the event began.
        public let time: ContinuousClock.Instant
        /// A number of the event's thread, which no other thread of the process has or had.
        public let thread: UInt64
        /// What happened.
        public internal(set) var kind: Kind
        /// The object that changed, or on which the registration was made.
        public internal(set) var object: Object?
        /// The object's number among those of its class, for readers.
        let objectNumber: Int?
        /// The property that changed, or the key path observed, as `observationInfo` shows it.
        public internal(set) var keyPath: String?
        /// The number of the registration that the event concerns; later registrations have higher numbers.
        public let registration: UInt64?
        /// The observer that the registration was made for, as `observationInfo` shows it.
        public let observer: String?
        /// The file that made the registration or the binding, as `Module/File.swift`.
        ///
        /// Nil for a change, because the place of an assignment is not known. If a handler made the change, ``cause``
        /// leads to it.
        public let fileID: String?
        /// The line that made the registration or the binding.
        public let line: UInt?
        /// The number of the event that caused this one; nil if no event did.
        ///
        /// A change causes the call of a handler, and the call of a handler causes the changes made inside it.
        public let cause: UInt64?
        /// Whether a handler is called before the change.
        public let isPrior: Bool
        /// How long the event took; nil while it is under way.
        public internal(set) var duration: Duration?
        /// How some elements changed, such as `insertion at 2`; nil if the whole value was set.
        public internal(set) var elements: String?
        /// The start of the old value's description, or of the removed elements' description.
        public internal(set) var oldValue: String?
        /// The start of the new value's description, or of the inserted elements' description.
        ///
        /// For an evaluation, the start of the result's description.
        public internal(set) var newValue: String?
    }

    /// The kind of an event.
    @nonexhaustive public enum Kind: String, Sendable, CaseIterable {
        /// A registration was made.
        case registration
        /// A registration ended.
        case end
        /// An observed property changed. The event lasts until all observers have been called or, in a transaction,
        /// until the change was recorded.
        case change
        /// A computed property, a path or an expression was read to find its dependencies.
        case evaluation
        /// A handler was called.
        case delivery
        /// A handler with `.distinct` was not called, because the value is the one last delivered to it.
        case skip
        /// A transaction, with its deliveries.
        case transaction
        /// A change was added to the buffer of a sequence, or of a handler on another executor.
        case inbox
        /// A change was consumed: by a handler on an actor or a queue, or by the task that iterates a sequence. The
        /// body of that task's loop is not part of the event.
        case taken
        /// A binding set its target.
        case binding
    }

    /// An object that an event concerns: its name and its identity.
    public struct Object: Sendable, Hashable {
        /// The name of its class.
        public let typeName: String
        /// The object's identity.
        ///
        /// Another object may have it after this one has died.
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

    /// The subject, such as `total of Cart`.
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
