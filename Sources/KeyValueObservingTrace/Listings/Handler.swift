// Figures about handlers and evaluations.
import KeyValueObserving

@_spi(Inspector)
extension KeyValueTrace {
    /// The registrations that one line of the program made since tracing began, for one key path of one class.
    public struct Handler: Sendable {
        /// The name of the class of the objects.
        public let typeName: String
        /// The key path or expression observed, as `observationInfo` shows it.
        public internal(set) var keyPath: String
        /// The observer that the registrations were made for, as `observationInfo` shows it, if all have the same one.
        public private(set) var observer: String?
        /// The file that registers, as `Module/File.swift`.
        public let fileID: String
        /// The line that registers.
        public let line: UInt
        /// How many registrations were made while tracing was on.
        public private(set) var registrationCount = 0
        /// How many of the current registrations were made or called while tracing was on.
        public private(set) var activeCount = 0
        /// How often handlers were called, recorded or not, since the tracer first met the objects.
        public private(set) var callCount = 0
        /// How many changes of the current registrations a buffering policy dropped.
        public private(set) var droppedCount = 0
        /// How many of the current registrations were never called.
        public private(set) var silentCount = 0
        /// How many calls were recorded.
        public private(set) var recordedCount = 0
        /// How many recorded calls were skipped, because the registration requested `.distinct`.
        public internal(set) var skippedCount = 0
        /// How long all recorded calls took together.
        public private(set) var totalDuration = Duration.zero
        /// How long the longest recorded call took.
        public private(set) var longestDuration = Duration.zero

        /// The identity of the handler.
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

        /// Whether there is nothing to list.
        var isEmpty: Bool { activeCount == 0 && registrationCount == 0 && callCount == 0 }

        mutating func add(_ known: KnownRegistration) {
            if known.observer != observer { observer = isEmpty ? known.observer : nil }
            activeCount += 1
            if known.isNew { registrationCount += 1 }
            callCount += known.calls.count
            recordedCount += known.calls.count
            totalDuration += known.calls.total
            longestDuration = max(longestDuration, known.calls.longest)
        }

        /// Removes a registration whose name or label changes.
        mutating func remove(_ known: KnownRegistration) {
            activeCount -= 1
            if known.isNew { registrationCount -= 1 }
            callCount -= known.calls.count
            recordedCount -= known.calls.count
            totalDuration -= known.calls.total
        }

        mutating func end(with unrecordedCount: Int) {
            activeCount -= 1
            callCount += unrecordedCount
        }

        mutating func add(_ duration: Duration) {
            callCount += 1
            recordedCount += 1
            totalDuration += duration
            longestDuration = max(longestDuration, duration)
        }

        /// Adds the counts that a registration's object keeps, for a current registration.
        mutating func count(_ known: KnownRegistration, delivered: Int, dropped: Int) {
            callCount += delivered - known.calls.count
            droppedCount += dropped
            if delivered == 0 { silentCount += 1 }
        }
    }

    /// Handlers since tracing began, by the line that registered them; those called most come first.
    ///
    /// The figures include events that the ring has dropped.
    public static var handlers: [Handler] { listing(atMost: 0).handlers }

    /// A computed property, path or expression of a class, and how often it was evaluated to find its dependencies.
    public struct Evaluation: Sendable {
        /// The name of the class.
        public let typeName: String
        /// The key path or expression evaluated, as `observationInfo` shows it.
        public let keyPath: String
        /// How many evaluations there were, recorded or not.
        public let count: Int
        /// How many evaluations were recorded.
        public let recordedCount: Int
        /// How many recorded evaluations had the same result as the evaluation before, of the same object.
        ///
        /// Results are compared by their descriptions: 0 if tracing was started without a `valueLength`.
        public let unchangedCount: Int
        /// How long all recorded evaluations took together.
        public let totalDuration: Duration
        /// How long the longest recorded evaluation took.
        public let longestDuration: Duration
    }

    /// Evaluations since tracing began; those that took longest come first.
    public static var evaluations: [Evaluation] {
        Recorder.shared.settle()
        let evaluations = Recorder.shared.listing(\.evaluations).map { place, figures in
            Evaluation(
                typeName: place.typeName, keyPath: place.keyPath,
                count: figures.calls.count + figures.leftOutCount, recordedCount: figures.calls.count,
                unchangedCount: figures.unchanged, totalDuration: figures.calls.total,
                longestDuration: figures.calls.longest)
        }
        return evaluations.sorted { $0.totalDuration > $1.totalDuration }
    }
}
