// A registration whose types are known.

/// A registration with its handler.
@usableFromInline
final class TypedRegistration<Object: KeyValueObservable, Value>: Registration, @unchecked Sendable {
    @usableFromInline typealias Handler = (Object, KeyValueObservedChange<Value>) -> Void

    @usableFromInline let handler: Handler

    @inlinable
    init(_ handler: @escaping Handler) {
        self.handler = handler
        super.init()
    }

    @inlinable
    static func tell(_ delivered: inout DeliveredChange) {
        tell(delivered.change(of: Value.self), &delivered)
    }

    @inlinable
    static func tellUnlessEqual(_ delivered: inout DeliveredChange) where Value: Equatable {
        let change = delivered.change(of: Value.self)
        if change.kind == .setting, let old = change.oldValue, let new = change.newValue, old == new {
            return delivered.skip()
        }
        tell(change.limited(to: delivered.options), &delivered)
    }

    /// Tells all that are of the same origin and follow one another.
    @inlinable
    static func tell(_ change: KeyValueObservedChange<Value>, _ delivered: inout DeliveredChange) {
        // The origin's teller serves registrations of this type, at key paths of this root.
        let object = unsafe delivered.object
        while let registration = unsafe delivered.next() {
            unsafe registration._withUnsafeGuaranteedRef { registration in
                let handler = unsafe unsafeDowncast(registration, to: Self.self).handler
                unsafe object._withUnsafeGuaranteedRef { unsafe handler(unsafeDowncast($0, to: Object.self), change) }
            }
        }
    }
}
