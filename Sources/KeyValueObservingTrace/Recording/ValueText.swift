// Values as text of bounded length.
import KeyValueObserving

/// The start of a value's description.
struct ValueText {
    let text: String
    /// Tells the whole description from others, as far as it was made.
    let hash: Int

    /// How many elements of a collection are described.
    private static let mostElements = 32

    /// Describes a value; code of its type runs.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - length: How many characters to keep.
    init(_ value: Any, length: Int) {
        let whole = Self.describe(value)
        hash = whole.hashValue
        let start = whole.prefix(length)
        text = start.endIndex == whole.endIndex ? whole : start + "…"
    }

    private static func describe(_ value: Any) -> String {
        func open(_ values: some Collection) -> String {
            // The rest may be long.
            let rest = values.count > mostElements ? " and \(values.count - mostElements) more" : ""
            return rest.isEmpty
                ? String(describing: values) : String(describing: Array(values.prefix(mostElements))) + rest
        }
        if let value = value as? String { return value }
        if let value = value as? any Collection { return open(value) }
        return bare(value)
    }

    /// An optional is described as what is in it.
    private static func bare(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return String(describing: value) }
        return mirror.children.first.map { describe($0.value) } ?? "nil"
    }
}

/// What a property was last.
struct KnownValue {
    /// Nil if no observer asked for the value.
    let text: String?
    /// The number of the event after which it was so.
    let event: UInt64
    /// How often something had been left out by then; what is left out later may change the property.
    private let leftOut = Recorder.shared.limit.leftOutCount

    /// Whether nothing was left out since.
    var isCertain: Bool { leftOut == Recorder.shared.limit.leftOutCount }
}
