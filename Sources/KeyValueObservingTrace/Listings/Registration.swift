// Listings of registrations.
import KeyValueObserving

@_spi(Inspector)
extension KeyValueTrace {
    /// A registration that has not ended.
    public struct Registration: Sendable {
        /// The registration's number; later registrations have higher ones.
        public let number: UInt64
        /// The object that the registration was made on.
        public let object: Object?
        /// The key path or expression observed, as `observationInfo` shows it.
        public let keyPath: String
        /// The observer that the registration was made for, as `observationInfo` shows it.
        public let observer: String?
        /// The file that made the registration, as `Module/File.swift`.
        public let fileID: String
        /// The line that made the registration.
        public let line: UInt
        /// How often the handler was called, traced or not; the same as ``callCount`` unless the object lists the
        /// registration.
        public let deliveredCount: Int
        /// How many changes a buffering policy dropped; 0 unless the object lists the registration.
        public let droppedCount: Int
        /// How often the handler was called while tracing was on.
        public let callCount: Int
        /// How long the traced calls took together.
        public let totalDuration: Duration
        /// How long the longest traced call took.
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

    /// The current registrations that were made, called or listed since tracing began, in their order.
    ///
    /// After ``stop()``, the registrations at that moment.
    public static var registrations: [Registration] {
        Recorder.shared.listing(\.registrations).values.map { Registration($0) }.sorted { $0.number < $1.number }
    }
}
