// A value that is kept for observers by code that does not know its type.

/// A value, or none, of a type that only its reader knows.
@usableFromInline
class BoxedValue {
    @inlinable
    init() {}

    /// Calls `body` with a pointer to the value as an optional, for as long as `body` runs.
    func withPointer(_ body: (UnsafeRawPointer) -> Void) { preconditionFailure("a subclass has the value") }

    /// Calls `body` with pointers to two values, each where there is one.
    static func withPointers(
        _ old: BoxedValue?, _ new: BoxedValue?, _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) {
        switch (old, new) {
        case (nil, nil): body(nil, nil)
        case (let old?, nil): unsafe old.withPointer { unsafe body($0, nil) }
        case (nil, let new?): unsafe new.withPointer { unsafe body(nil, $0) }
        case (let old?, let new?): unsafe old.withPointer { old in unsafe new.withPointer { unsafe body(old, $0) } }
        }
    }
}

/// A value of a type, or none.
@usableFromInline
final class Box<Value>: BoxedValue {
    @usableFromInline let value: Value?

    @inlinable
    init(_ value: Value?) {
        self.value = value
    }

    @usableFromInline
    override func withPointer(_ body: (UnsafeRawPointer) -> Void) {
        unsafe withUnsafePointer(to: value) { unsafe body(UnsafeRawPointer($0)) }
    }
}
