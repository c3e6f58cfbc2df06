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
    /// What was searched for, and objects that have it.
    let search: String
    let matches: [ObjectText]
    let matchCount: Int
    let objectCount: Int
    let classes: [ClassText]
    /// How many registrations there are on all objects.
    let registrationCount: Int
    /// How many registrations were made before the start, if that is known, and how many of them are found.
    let earlier: UInt64?
    let earlierFound: Int
    let handlers: [HandlerText]
    /// Those of the handlers that have registrations that were never called.
    let silent: [HandlerText]
    let evaluations: [EvaluationText]

    private enum CodingKeys: String, CodingKey {
        case type, objects, search, matches, matchCount, objectCount, classes, registrationCount
        case earlier, earlierFound, handlers, silent, evaluations
    }
}

struct ClassText: Encodable {
    let type: String
    let count: Int
}

/// An object, its properties whose values are known, its observers and what depends on others.
struct ObjectText: Encodable {
    let id: String
    let type: String
    let number: Int
    let values: [ValueText]
    let observerCount: Int
    /// The first of them, if there are many.
    let observers: [ObserverText]
    let dependents: [DependentText]
}

struct ValueText: Encodable {
    let keyPath: String
    let text: String
    /// How many seconds ago it was so, if it may have changed since.
    let age: Double?
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
    let number: Int?
    let keyPath: String
    let isComputed: Bool
}

/// What one line registered.
///
/// Active, calls, dropped and silent are counted; the rest is of the recorded calls.
struct HandlerText: Encodable {
    let type: String
    let keyPath: String
    let observer: String?
    let place: String
    let active: Int
    let calls: Int
    let dropped: Int
    let silent: Int
    let recorded: Int
    let skipped: Int
    let total: Double
    let longest: Double
}

/// What was evaluated, and how often.
///
/// The rest is of the recorded evaluations.
struct EvaluationText: Encodable {
    let type: String
    let keyPath: String
    let count: Int
    let recorded: Int
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
    let text: String
}

/// What was asked and is not answered.
struct ErrorMessage: Encodable {
    let type = "error"
    let message: String

    private enum CodingKeys: String, CodingKey { case type, message }
}

/// What a page may ask: one of these.
struct Request: Decodable {
    /// The number of the event to explain.
    let explain: UInt64?
    /// What the listed objects have to have.
    let search: String?
}
#endif
