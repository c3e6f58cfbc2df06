// What goes to the page and comes from it, as JSON.
#if Inspector
import Foundation
@_spi(Inspector) import KeyValueObservingTrace

/// Events, in the order of their numbers.
struct EventsMessage: Encodable {
    let type = "events"
    let events: [EventText]
    /// How many events before these were not sent.
    let leftOut: Int

    private enum CodingKeys: String, CodingKey { case type, events, leftOut }
}

/// An event, as the page shows it.
struct EventText: Encodable {
    let number: UInt64
    let kind: String
    let thread: UInt64
    /// Microseconds since the inspector connected.
    let time: Double
    let type: String?
    let object: String?
    let keyPath: String?
    let registration: UInt64?
    let place: String?
    let cause: UInt64?
    let isPrior: Bool
    /// In microseconds.
    let duration: Double?
    let elements: String?
    let oldValue: String?
    let newValue: String?

    init(_ event: KeyValueTrace.Event, since start: ContinuousClock.Instant) {
        number = event.number
        kind = event.kind.rawValue
        thread = event.thread
        time = (event.time - start).microseconds
        type = event.object?.typeName
        object = event.object.map { $0.identity.text }
        keyPath = event.keyPath
        registration = event.registration
        if let file = event.fileID, let line = event.line { place = "\(file):\(line)" } else { place = nil }
        cause = event.cause
        isPrior = event.isPrior
        duration = event.duration?.microseconds
        elements = event.elements
        oldValue = event.oldValue
        newValue = event.newValue
    }
}

/// The objects and figures, as they are now.
struct SnapshotMessage: Encodable {
    let type = "snapshot"
    let objects: [ObjectText]
    let objectsLeftOut: Int
    let registrationsLeftOut: Int
    let handlers: [HandlerText]
    let evaluations: [EvaluationText]

    private enum CodingKeys: String, CodingKey {
        case type, objects, objectsLeftOut, registrationsLeftOut, handlers, evaluations
    }
}

/// An object, its properties that changed, its observers and what depends on others.
struct ObjectText: Encodable {
    let id: String
    let type: String
    let values: [ValueText]
    let observers: [ObserverText]
    let dependents: [DependentText]
}

struct ValueText: Encodable {
    let keyPath: String
    let text: String
    /// Whether events were left out since, so that it may have changed.
    let isUncertain: Bool
}

struct ObserverText: Encodable {
    let number: UInt64
    let keyPath: String
    let observer: String?
    let place: String
    let calls: Int
    /// In microseconds.
    let total: Double
}

struct DependentText: Encodable {
    let name: String
    let reads: [PropertyText]
}

struct PropertyText: Encodable {
    let id: String?
    let type: String?
    let keyPath: String
}

struct HandlerText: Encodable {
    let type: String
    let keyPath: String
    let place: String
    let active: Int
    let calls: Int
    let skipped: Int
    let total: Double
    let longest: Double
}

struct EvaluationText: Encodable {
    let type: String
    let keyPath: String
    let count: Int
    let unchanged: Int
    let total: Double
    let longest: Double
}

/// Why an event happened.
struct ExplanationMessage: Encodable {
    let type = "explanation"
    let number: UInt64
    let text: String

    private enum CodingKeys: String, CodingKey { case type, number, text }
}

/// What was asked and is not answered.
struct ErrorMessage: Encodable {
    let type = "error"
    let message: String

    private enum CodingKeys: String, CodingKey { case type, message }
}

/// The only thing that a page may ask.
struct Request: Decodable {
    /// The number of the event to explain.
    let explain: UInt64
}

extension Duration {
    var microseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }
}

extension ObjectIdentifier {
    /// As text that JSON can hold without loss.
    var text: String { String(UInt(bitPattern: self), radix: 16) }
}
#endif
