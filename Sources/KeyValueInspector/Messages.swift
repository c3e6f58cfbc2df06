// The messages between the program and the page, as JSON.
#if Inspector
import Foundation
@_spi(Inspector) import KeyValueObservingTrace

/// Events, in the order of their numbers.
struct EventsMessage: Encodable {
    let type = "events"
    let events: [KeyValueTrace.Event]
    /// How many events since the previous message were not sent.
    let leftOut: Int

    private enum CodingKeys: String, CodingKey { case type, events, leftOut }
}

/// The objects and figures, as they are now.
struct SnapshotMessage: Encodable {
    let type = "snapshot"
    let objects: [ObjectText]
    /// The searched text, and objects that contain it.
    let search: String
    let matches: [ObjectText]
    let matchCount: Int
    let objectCount: Int
    let classes: [ClassText]
    /// How many registrations there are on all objects.
    let registrationCount: Int
    /// The number of the last registration before the start, if that is known, and how many earlier ones are listed.
    let earlier: UInt64?
    let earlierFound: Int
    let handlers: [HandlerText]
    /// The handlers with registrations that were never called.
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

/// An object, with its known values, its observers and its dependencies.
struct ObjectText: Encodable {
    let id: String
    let type: String
    let number: Int
    let values: [ValueText]
    let observerCount: Int
    /// Its observers, or the first ones if there are many.
    let observers: [ObserverText]
    let dependents: [DependentText]
}

struct ValueText: Encodable {
    let keyPath: String
    let text: String
    /// How many seconds ago the property had this value, if it may have changed since.
    let age: Double?
}

struct ObserverText: Encodable {
    let number: UInt64
    let keyPath: String
    let observer: String?
    let place: String
    let calls: Int
    let dropped: Int
    /// A duration in microseconds.
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

/// The registrations of one line.
///
/// `active`, `calls`, `dropped` and `silent` count all calls; the other figures cover the recorded ones.
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

/// A key path or expression, and how often it was evaluated.
///
/// The other figures cover the recorded evaluations.
struct EvaluationText: Encodable {
    let type: String
    let keyPath: String
    let count: Int
    let recorded: Int
    let unchanged: Int
    let total: Double
    let longest: Double
}

/// The explanation of an event.
struct ExplanationMessage: Encodable {
    let type = "explanation"
    /// The sentences; the first one is about the requested event.
    let sentences: [SentenceText]

    private enum CodingKeys: String, CodingKey { case type, sentences }
}

struct SentenceText: Encodable {
    /// The number of the event that it is about.
    let number: UInt64
    let text: String
}

/// A request that cannot be answered.
struct ErrorMessage: Encodable {
    let type = "error"
    let message: String

    private enum CodingKeys: String, CodingKey { case type, message }
}

/// A request of a page, with one of its members set.
struct Request: Decodable {
    /// The number of the event to explain.
    let explain: UInt64?
    /// A text that the listed objects must contain.
    let search: String?
}
#endif
