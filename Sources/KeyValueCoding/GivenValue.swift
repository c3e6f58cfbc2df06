// A value as the text of an error.
import KeyValueObserving

/// A value that was given: `"abc" of type String`, or `a value of type Place` where no few words describe it.
struct GivenValue: CustomStringConvertible {
    let description: String

    /// Longer texts are cut.
    private static let limit = 60

    init(_ value: Any?) {
        guard let value = Self.unboxed(value) else {
            description = "nil"
            return
        }
        // Describing a value may read observed properties; nothing depends on them for that.
        let text = Tracking.suspended { Self.text(of: value) }
        description = "\(text ?? "a value") of type \(TypeName.of(value))"
    }

    /// The value, with a boxed Bool out of its box: that prints like a number.
    static func unboxed(_ value: Any?) -> Any? {
        guard let value = OperatorReceiver.bare(value) else { return nil }
        if case .bool(let bool) = BoxedNumber(value, for: Bool.self) { return bool }
        return value
    }

    private static func text(of value: Any) -> String? {
        if value is any StringProtocol { return cut("\(value)", shown: \.debugDescription) }
        guard !(value is any Collection), let value = value as? any CustomStringConvertible else { return nil }
        return cut(value.description, shown: { $0 })
    }

    private static func cut(_ text: String, shown: (String) -> String) -> String {
        let start = text.prefix(limit)
        return start.endIndex == text.endIndex ? shown(text) : shown(start + "…")
    }
}
