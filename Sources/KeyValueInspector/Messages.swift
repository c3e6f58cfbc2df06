// What goes to the page and comes from it, as JSON.
#if Inspector
import Foundation
@_spi(Inspector) import KeyValueObservingTrace

/// Events, in the order of their numbers.
struct EventsMessage: Encodable {
    let type = "events"
    let events: [KeyValueTrace.Event]
    /// How many events since the message before were not sent.
    let leftOut: Int

    private enum CodingKeys: String, CodingKey { case type, events, leftOut }
}

/// The objects and figures, as they are now.
struct SnapshotMessage: Encodable {
    let type = "snapshot"
    let objects: [ObjectText]
    let objectsLeftOut: Int
    let registrationsLeftOut: Int
    /// How many registrations were made before the start, if that is known, and how many of them are listed.
    let earlier: UInt64?
    let earlierListed: Int
    let handlers: [HandlerText]
    let evaluations: [EvaluationText]

    private enum CodingKeys: String, CodingKey {
        case type, objects, objectsLeftOut, registrationsLeftOut, earlier, earlierListed, handlers, evaluations
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
    let dropped: Int
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
    let observer: String?
    let place: String
    let active: Int
    let calls: Int
    let dropped: Int
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
    /// The first is about the event that was asked for.
    let sentences: [SentenceText]

    private enum CodingKeys: String, CodingKey { case type, sentences }
}

struct SentenceText: Encodable {
    /// The number of the event that it is about.
    let number: UInt64
    /// The sentence; in place of each object it has its class and its identity between control characters, since the page
    /// numbers objects.
    let text: String
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
#endif
