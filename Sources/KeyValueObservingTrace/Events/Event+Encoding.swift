// An event as a line of JSON.
import KeyValueObserving

extension KeyValueTrace.Event: Encodable {
    private enum CodingKeys: CodingKey {
        case number, kind, thread, time, type, object, objectNumber, keyPath, registration, observer, place, cause,
            isPrior, duration, elements, oldValue, newValue
    }

    /// When the first event that the process encoded began.
    private static let origin = Guarded<ContinuousClock.Instant?>(nil)

    private static func microseconds(at time: ContinuousClock.Instant) -> Double {
        let origin = origin.withLock { origin in
            if origin == nil { origin = time }
            return origin ?? time
        }
        return (time - origin).microseconds
    }

    /// Encodes the event, for a line of JSON.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let lines = try KeyValueTrace.events.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    /// ```
    ///
    /// Times and durations are microseconds; times count from the first event that the process encodes. Unknown values
    /// are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(thread, forKey: .thread)
        try container.encode(Self.microseconds(at: time), forKey: .time)
        try container.encodeIfPresent(object?.typeName, forKey: .type)
        try container.encodeIfPresent(object?.identity.text, forKey: .object)
        try container.encodeIfPresent(objectNumber, forKey: .objectNumber)
        try container.encodeIfPresent(keyPath, forKey: .keyPath)
        try container.encodeIfPresent(registration, forKey: .registration)
        try container.encodeIfPresent(observer, forKey: .observer)
        try container.encodeIfPresent(place, forKey: .place)
        try container.encodeIfPresent(cause, forKey: .cause)
        if isPrior { try container.encode(true, forKey: .isPrior) }
        try container.encodeIfPresent(duration?.microseconds, forKey: .duration)
        try container.encodeIfPresent(elements, forKey: .elements)
        try container.encodeIfPresent(oldValue, forKey: .oldValue)
        try container.encodeIfPresent(newValue, forKey: .newValue)
    }
}

extension Duration {
    package var microseconds: Double { self / .microseconds(1) }
}

extension ObjectIdentifier {
    /// The identity as text, which JSON can hold without loss.
    package var text: String { String(UInt(bitPattern: self), radix: 16) }
}
