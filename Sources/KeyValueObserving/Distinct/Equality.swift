// Comparing values whose types are known to be Equatable only at run time.

/// Compares values of a type that is known to be Equatable only at run time.
@usableFromInline
package final class Equality<Value>: @unchecked Sendable {
    @usableFromInline package let areEqual: (Value, Value) -> Bool

    package init(_ areEqual: @escaping (Value, Value) -> Bool) { self.areEqual = areEqual }

    /// Nil if the type is not Equatable; values of type `Any` are compared by their dynamic types.
    package convenience init?() {
        guard let areEqual = Self.comparison else { return nil }
        self.init(areEqual)
    }

    private static var comparison: ((Value, Value) -> Bool)? {
        if Value.self == Any?.self {
            return { unsafe Self.areEqual(unsafeBitCast($0, to: Any?.self), unsafeBitCast($1, to: Any?.self)) }
        }
        func open<Comparable: Equatable>(_: Comparable.Type) -> (Value, Value) -> Bool {
            // Both names stand for one type.
            { unsafe unsafeBitCast($0, to: Comparable.self) == unsafeBitCast($1, to: Comparable.self) }
        }
        return (Value.self as? any Equatable.Type).map { open($0) }
    }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        func isEqual<Comparable: Equatable>(_ left: Comparable) -> Bool { right as? Comparable == left }
        guard let left else { return right == nil }
        return (left as? any Equatable).map { isEqual($0) } ?? false
    }

    /// Compares the observed values; traps if they cannot be compared.
    convenience init(
        of subject: @autoclosure () -> String, in object: AnyObject, _ fileID: StaticString, _ line: UInt
    ) {
        guard let areEqual = Self.comparison else { Self.trap(of: subject(), in: object, fileID, line) }
        self.init(areEqual)
    }

    static func trap(of subject: String, in object: AnyObject, _ fileID: StaticString, _ line: UInt) -> Never {
        fatalError(
            """
            \(subject) of \(TypeName.of(object)) cannot be observed with .distinct: values of \
            \(TypeName.text(of: Value.self)) cannot be compared. Make the type Equatable, or leave .distinct out.
            """, file: fileID, line: line)
    }
}
