// How the values of a registration are kept in its inbox.

/// Makes what is kept in an inbox of the values of a key path.
package protocol InboxForm<Value, Kept>: Sendable {
    associatedtype Value
    associatedtype Kept: Sendable

    func kept(_ value: Value) -> Kept

    func kept(_ change: KeyValueObservedChange<Value>) -> KeyValueObservedChange<Kept>

    /// How kept values are compared; nil if they cannot be.
    var equality: Equality<Kept>? { get }
}

extension InboxForm {
    package func kept(_ change: KeyValueObservedChange<Value>) -> KeyValueObservedChange<Kept> {
        KeyValueObservedChange(
            kind: change.kind, newValue: change.newValue.map(kept), oldValue: change.oldValue.map(kept),
            elements: change.elements, isPrior: change.isPrior, origin: change.origin)
    }
}

/// Values as they are, for an inbox of their own.
struct TypedForm<Value: Sendable>: InboxForm {
    func kept(_ value: Value) -> Value { value }

    func kept(_ change: KeyValueObservedChange<Value>) -> KeyValueObservedChange<Value> { change }

    var equality: Equality<Value>? { Equality() }
}

/// Values of any type and never optionals, for an inbox that several key paths share.
struct SharedForm<Value: Sendable>: InboxForm {
    func kept(_ value: Value) -> any Sendable {
        func open<Kept>(_: Kept.Type) -> Kept {
            // Every value is one of type `any Sendable` to a cast, and this one is Sendable by its type.
            guard let kept = bare(value) as? Kept else { preconditionFailure("the protocol asks for nothing") }
            return kept
        }
        return open((any Sendable).self)
    }

    var equality: Equality<any Sendable>? {
        Equality<Value>().map { equality in
            Equality { left, right in
                // Both are of the key path's type, or what is in such an optional.
                guard let left = left as? Value, let right = right as? Value else { return false }
                return equality.areEqual(left, right)
            }
        }
    }
}
