// The value that a registration was called with last, so that equal values are left out.

/// The value that a registration was called with last, and whether another one equals it.
///
/// Changes may come from several threads. Values are compared and released without the lock.
final class DistinctValues<Value>: Sendable {
    private struct State {
        var last: Value
        /// How often `last` was replaced.
        var version = 0
    }

    private let state: Guarded<State>
    private let equality: Equality<Value>

    /// Begins with a value from before the registration.
    init(_ value: Value, comparing equality: Equality<Value>) {
        state = Guarded(State(last: value))
        self.equality = equality
    }

    /// Notes the value at the time of the registration, unless it has been called already.
    func begin(with value: Value) {
        // What is replaced is released without the lock.
        let last = state.withLock { state in
            guard state.version == 0 else { return value }
            defer { state.last = value }
            return state.last
        }
        withExtendedLifetime(last) {}
    }

    /// The value that the registration was called with last; at first, the one at the registration.
    var last: Value { state.withLock { $0.last } }

    /// Notes that the registration is about to be called with a value, unless that equals the last one.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isAlways: Whether it is called with the value also if that is equal.
    /// - Returns: The last value before this one; nil if it is not called, since they are equal.
    func replace(with value: Value, always isAlways: Bool = false) -> Value? {
        while true {
            let (last, version) = state.withLock { ($0.last, $0.version) }
            if !isAlways, equality.areEqual(last, value) { return nil }
            let isReplaced = state.withLock { state in
                guard state.version == version else { return false }
                state = State(last: value, version: version + 1)
                return true
            }
            // Otherwise another thread came between.
            if isReplaced { return last }
        }
    }
}

/// How values of a type are compared that is known to be Equatable only when the program runs.
package struct Equality<Value>: @unchecked Sendable {
    package let areEqual: (Value, Value) -> Bool

    /// Compares with a function.
    package init(_ areEqual: @escaping (Value, Value) -> Bool) {
        self.areEqual = areEqual
    }

    /// Nil if the type is not Equatable.
    ///
    /// What may be anything is compared as what it is, and equals nothing of another
    /// type.
    package init?() {
        if Value.self == Any?.self {
            areEqual = {
                unsafe Self.areEqual(unsafeBitCast($0, to: Any?.self), unsafeBitCast($1, to: Any?.self))
            }
            return
        }
        func open<Comparable: Equatable>(_: Comparable.Type) -> (Value, Value) -> Bool {
            // Both names stand for one type.
            { unsafe unsafeBitCast($0, to: Comparable.self) == unsafeBitCast($1, to: Comparable.self) }
        }
        guard let type = Value.self as? any Equatable.Type else { return nil }
        areEqual = open(type)
    }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        func isEqual<Comparable: Equatable>(_ left: Comparable) -> Bool { right as? Comparable == left }
        guard let left else { return right == nil }
        return (left as? any Equatable).map { isEqual($0) } ?? false
    }

    /// The same for what is observed; traps if values of it cannot be compared.
    ///
    /// - Parameters:
    ///   - subject: What is observed, for a message.
    ///   - object: The object.
    ///   - fileID: Where the registration is made.
    ///   - line: Where the registration is made.
    init(of subject: @autoclosure () -> String, in object: AnyObject, _ fileID: StaticString, _ line: UInt) {
        guard let equality = Self() else { Self.trap(of: subject(), in: object, fileID, line) }
        self = equality
    }

    /// Says that values of what is observed cannot be compared.
    static func trap(of subject: String, in object: AnyObject, _ fileID: StaticString, _ line: UInt) -> Never {
        fatalError(
            """
            \(subject) of \(TypeName.of(object)) cannot be observed with .distinct: values of \
            \(TypeName.text(of: Value.self)) cannot be compared. Make the type Equatable, or leave .distinct out.
            """, file: fileID, line: line)
    }
}
