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
        /// How often handlers were called, recorded or not, from when the objects are known.
        public private(set) var callCount = 0
        /// How many changes a buffering policy dropped, of the registrations there are now.
        public private(set) var droppedCount = 0
        /// How many of the registrations there are now were never called.
        public private(set) var silentCount = 0
        /// How many calls were recorded.
        public private(set) var recordedCount = 0
        /// How often one was not called, because it asked for `.distinct`; of what was recorded.
        public internal(set) var skippedCount = 0
        /// How long all recorded calls took together.
        public private(set) var totalDuration = Duration.zero
        /// How long the longest recorded call took.
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
            recordedCount += known.calls.count
            totalDuration += known.calls.total
            longestDuration = max(longestDuration, known.calls.longest)
        }

        /// Removes a registration that gets another name or label.
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

        /// Counts what the object of a registration has counted, which that is there now.
        mutating func count(_ known: KnownRegistration, delivered: Int, dropped: Int) {
            callCount += delivered - known.calls.count
            droppedCount += dropped
            if delivered == 0 { silentCount += 1 }
        }
    }

    /// What was observed since tracing began, by the lines that registered; those called most come first.
    ///
    /// It counts on when events are dropped from the ring.
    public static var handlers: [Handler] { listing(atMost: 0).handlers }

    /// A computed property, path or expression of a class, and how often it was read to find what it depends on.
    public struct Evaluation: Sendable {
        /// The name of the class.
        public let typeName: String
        /// What was evaluated, as in `observationInfo`.
        public let keyPath: String
        /// How often, recorded or not.
        public let count: Int
        /// How many evaluations were recorded.
        public let recordedCount: Int
        /// How often, of those that were recorded, the result was the one of the evaluation before, of the same object.
        ///
        /// Results are compared by their descriptions: 0 if tracing was started without a `valueLength`.
        public let unchangedCount: Int
        /// How long all recorded evaluations took together.
        public let totalDuration: Duration
        /// How long the longest recorded evaluation took.
        public let longestDuration: Duration
    }

    /// What was evaluated since tracing began; what took longest comes first.
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
