// What is called most, longest, or never.
import KeyValueObserving

@_spi(Inspector)
extension KeyValueTrace {
    /// What one line of the program registered, at one key path of one class, since tracing began.
    public struct Handler: Sendable {
        /// The name of the class of the objects.
        public let typeName: String
        /// What is observed, as in `observationInfo`.
        public internal(set) var keyPath: String
        /// For whom the registrations were made, as in `observationInfo`, if that is the same for all.
        public private(set) var observer: String?
        /// The file that registers, as `Module/File.swift`.
        public let fileID: String
        /// The line that registers.
        public let line: UInt
        /// How many registrations were made while tracing was on.
        public private(set) var registrationCount = 0
        /// How many registrations there are now that were made or called while tracing was on.
        public private(set) var activeCount = 0
        /// How often handlers were called.
        ///
        /// What was not recorded is added when a registration ends.
        public private(set) var callCount = 0
        /// How often one was not called, because it asked for `.distinct`.
        public internal(set) var skippedCount = 0
        /// How long all calls took together.
        public private(set) var totalDuration = Duration.zero
        /// How long the longest call took.
        public private(set) var longestDuration = Duration.zero

        /// What tells it from others.
        var place: Contents.HandlerPlace {
            Contents.HandlerPlace(fileID: fileID, line: line, typeName: typeName, keyPath: keyPath)
        }

        init(_ known: KnownRegistration) {
            typeName = known.object?.typeName ?? ""
            keyPath = known.keyPath
            observer = known.observer
            fileID = known.fileID
            line = known.line
        }

        /// Whether there was nothing that is listed.
        var isEmpty: Bool { activeCount == 0 && registrationCount == 0 && callCount == 0 }

        mutating func add(_ known: KnownRegistration) {
            if known.observer != observer { observer = isEmpty ? known.observer : nil }
            activeCount += 1
            if known.isNew { registrationCount += 1 }
            callCount += known.calls.count
            totalDuration += known.calls.total
            longestDuration = max(longestDuration, known.calls.longest)
        }

        /// Removes a registration that gets another name or label.
        mutating func remove(_ known: KnownRegistration) {
            activeCount -= 1
            if known.isNew { registrationCount -= 1 }
            callCount -= known.calls.count
            totalDuration -= known.calls.total
        }

        mutating func end(with unrecordedCount: Int) {
            activeCount -= 1
            callCount += unrecordedCount
        }

        mutating func add(_ duration: Duration) {
            callCount += 1
            totalDuration += duration
            longestDuration = max(longestDuration, duration)
        }
    }

    /// What was observed since tracing began, by the lines that registered; those called most come first.
    ///
    /// It counts on when events are dropped from the ring.
    public static var handlers: [Handler] {
        Recorder.shared.listing(\.handlers).filter { !$0.isEmpty }.sorted { $0.callCount > $1.callCount }
    }

    /// A computed property, path or expression of a class, and how often it was read to find what it depends on.
    public struct Evaluation: Sendable {
        /// The name of the class.
        public let typeName: String
        /// What was evaluated, as in `observationInfo`.
        public let keyPath: String
        /// How often.
        public let count: Int
        /// How often the result was the one of the evaluation before, of the same object.
        ///
        /// Results are compared by their descriptions: 0 if tracing was started without a `valueLength`.
        public let unchangedCount: Int
        /// How long all evaluations took together.
        public let totalDuration: Duration
        /// How long the longest evaluation took.
        public let longestDuration: Duration
    }

    /// What was evaluated since tracing began; what took longest comes first.
    public static var evaluations: [Evaluation] {
        let evaluations = Recorder.shared.listing(\.evaluations).map { place, figures in
            Evaluation(
                typeName: place.typeName, keyPath: place.keyPath, count: figures.calls.count,
                unchangedCount: figures.unchanged, totalDuration: figures.calls.total,
                longestDuration: figures.calls.longest)
        }
        return evaluations.sorted { $0.totalDuration > $1.totalDuration }
    }
}
