// Values of any type as people read them.

/// Turns values into texts, whatever their types.
package enum ValueText {
    /// A value as text; what is nil is not known.
    package static func of(_ value: Any?) -> String {
        switch contents(of: value) {
        case nil: Units.unknown
        case let fraction as Double: Units.fixed(fraction, decimals: 4)
        case let text as String: text
        case let list as any Collection: "[\(elements(of: list).joined(separator: ", "))]"
        case let other?: "\(other)"
        }
    }

    /// The elements of a list as texts.
    static func elements(of value: Any) -> [String] {
        guard let list = contents(of: value) as? any Collection else { return [of(value)] }
        return texts(of: list)
    }

    private static func texts(of list: some Collection) -> [String] {
        list.map { of($0) }
    }

    /// The value without the optionals around it, which an `Any` may hide.
    private static func contents(of value: Any?) -> Any? {
        guard let value else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { contents(of: $0.value) }
    }
}
