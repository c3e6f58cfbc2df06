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
