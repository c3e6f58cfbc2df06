// Optionals of unknown types.

/// A value without the optionals around it: nil, or a value that is not optional.
package func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    return (value as? any OptionalValue).map(\.contents) ?? value
}

/// A value without the optionals around it, as a value of any type; nil as an `Any` that holds nil.
@usableFromInline
func bare(_ value: some Any) -> Any {
    (value as? any OptionalValue).map(\.bare) ?? value
}

/// Whether values of a type may change element by element: collections, and optional ones.
func isCollection(_ type: Any.Type) -> Bool {
    if let optional = type as? any OptionalValue.Type { return isCollection(optional.wrappedType) }
    return type is any Collection.Type
}

/// An optional of an unknown type.
package protocol OptionalValue {
    associatedtype Wrapped

    static var wrappedType: Any.Type { get }
    init(wrapping value: Wrapped?)
    /// The value without this optional and those within.
    var contents: Any? { get }
    /// The value as one of any type: the innermost optional if that is nil.
    var bare: Any { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }

    package init(wrapping value: Wrapped?) { self = value }

    package var contents: Any? { flatMap { flattened($0) } }

    package var bare: Any {
        guard let self else { return Self.none as Any }
        return (self as? any OptionalValue)?.bare ?? self
    }
}
