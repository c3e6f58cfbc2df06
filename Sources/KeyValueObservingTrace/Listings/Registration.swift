// Who observes, and what there is to observe.
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

    /// An object that lives, and what of it is evaluated because somebody observes it.
    public struct ObservedObject: Sendable {
        /// The object.
        public let object: Object
        /// Its properties that changed or were evaluated, by name, with what they were last, as text.
        ///
        /// A property is missing if no observer asked for its value at its last change. A value is not certain if something was
        /// not recorded since.
        public let values: [(keyPath: String, text: String, isCertain: Bool)]
        /// What is evaluated, and what that depends on, as from ``graph(of:)``.
        public let dependents: [Dependent]
        /// The registrations on it, in their order, whether they were made before tracing began or since.
        public let registrations: [Registration]
    }

    /// The objects that live and were registered on, changed, evaluated or asked about since tracing began.
    ///
    /// No properties are read. Each is held while it is looked at: if the last other reference to it goes
    /// meanwhile, it is released on the thread that asks here.
    ///
    /// - Parameter count: How many objects to return, at most; not below 0.
    /// - Returns: The objects, in no particular order, and how many were left out, which may have gone.
    /// - Complexity: Proportional to the number of objects returned and of what they depend on.
    public static func observedObjects(atMost count: Int = .max) -> (objects: [ObservedObject], leftOutCount: Int) {
        let references = Recorder.shared.listing(\.objects)
        var objects: [ObservedObject] = []
        var seen = 0
        for reference in references.values {
            guard objects.count < count else { break }
            seen += 1
            guard let object = reference.object else { continue }
            let observable = object as? any KeyValueObservable
            let dependents = observable.map { KeyValueTrace.graph(of: $0).dependents } ?? []
            let registrations =
                observable.map { Recorder.shared.registrations(on: $0) }
                ?? Self.registrations.filter { $0.object?.identity == ObjectIdentifier(object) }
            let known = Recorder.shared.values(of: object).sorted { $0.key < $1.key }
            let values = known.compactMap { keyPath, value in
                value.text.map { (keyPath: keyPath, text: $0, isCertain: value.isCertain) }
            }
            objects.append(
                ObservedObject(
                    object: Object(object), values: values, dependents: dependents, registrations: registrations))
        }
        return (objects, references.count - seen)
    }
}
