// Who observes.
import KeyValueObserving

@_spi(Inspector)
extension KeyValueTrace {
    /// A registration that has not ended.
    public struct Registration: Sendable {
        /// Later registrations have higher numbers.
        public let number: UInt64
        /// The object that it was made on.
        public let object: Object?
        /// What is observed, as in `observationInfo`.
        public let keyPath: String
        /// For whom it was made, as in `observationInfo`.
        public let observer: String?
        /// The file that made it, as `Module/File.swift`.
        public let fileID: String
        /// The line that made it.
        public let line: UInt
        /// How often its handler was called, traced or not; as ``callCount`` unless its object lists it.
        public let deliveredCount: Int
        /// How many changes a buffering policy dropped; 0 unless its object lists it.
        public let droppedCount: Int
        /// How often its handler was called while tracing was on.
        public let callCount: Int
        /// How long these calls took together.
        public let totalDuration: Duration
        /// How long the longest of them took.
        public let longestDuration: Duration

        init(_ known: KnownRegistration, listedAs info: KeyValueObservationInfo? = nil) {
            number = known.number
            object = known.object
            keyPath = info?.keyPath ?? known.keyPath
            observer = known.observer
            deliveredCount = info?.deliveredCount ?? known.calls.count
            droppedCount = info?.droppedCount ?? 0
            fileID = known.fileID
            line = known.line
            callCount = known.calls.count
            totalDuration = known.calls.total
            longestDuration = known.calls.longest
        }
    }

    /// The registrations that were made, called or listed since tracing began and have not ended, in their order.
    ///
    /// After ``stop()`` they are those of that moment.
    public static var registrations: [Registration] {
        Recorder.shared.listing(\.registrations).values.map { Registration($0) }.sorted { $0.number < $1.number }
    }
}
