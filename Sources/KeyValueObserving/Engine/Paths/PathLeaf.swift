// The values of a path that ends at a property, made of the property's values.

/// Makes the values of a path of those of the property it ends at.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
@safe enum PathLeaf {
    /// What is done with pointers to an old and a new value, each where it was asked for.
    typealias Body = (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    /// Wraps values in optionals: is given pointers to optionals of the property's type, and calls its last argument
    /// with pointers to optionals of optionals.
    ///
    /// It is compiled where the property's type is known.
    typealias Wrapping = (UnsafeRawPointer?, UnsafeRawPointer?, Body) -> Void

    /// The path has the property's type.
    case same
    /// The path leads through an optional, so that its values are optionals.
    case wrapped(Wrapping)

    /// Calls `body` with pointers to the path's values.
    ///
    /// - Parameters:
    ///   - old: Points to the property's value, or to elements of it, as an optional.
    ///   - new: The same for the new value.
    ///   - body: Is given pointers to the path's values as optionals.
    func withValues(_ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, _ body: Body) {
        switch self {
        case .same: unsafe body(old, new)
        case .wrapped(let wrap): unsafe wrap(old, new, body)
        }
    }
}

/// Wraps values of a type in optionals.
@usableFromInline
enum Wrapping<Value> {
    @inlinable
    static func wrap(
        _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) {
        let (wrappedOld, wrappedNew) = unsafe (wrapped(old), wrapped(new))
        unsafe withUnsafePointer(to: wrappedOld) { oldPointer in
            unsafe withUnsafePointer(to: wrappedNew) { newPointer in
                unsafe body(
                    old == nil ? nil : UnsafeRawPointer(oldPointer), new == nil ? nil : UnsafeRawPointer(newPointer))
            }
        }
    }

    /// The caller has the property's type from the same place as this.
    @inlinable
    @unsafe static func wrapped(_ value: UnsafeRawPointer?) -> Value?? {
        guard let value = unsafe value else { return nil }
        return unsafe value.assumingMemoryBound(to: Value?.self).pointee.map { $0 }
    }
}
