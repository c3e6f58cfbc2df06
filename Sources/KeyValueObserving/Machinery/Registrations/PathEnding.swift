// The values of a path that ends at a property, made of the property's values.

/// Makes the values of a path of those of the property it ends at, which is of the same type.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
class PathEnding {
    /// Calls `body` with pointers to the path's old and new value.
    ///
    /// - Parameters:
    ///   - old: Points to the property's old value, as an optional that is not nil; nil if nobody asks for it.
    ///   - new: The same for the new value.
    ///   - body: Is given pointers to the path's values, as optionals, where they are asked for.
    func withValues(
        _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) {
        unsafe body(old, new)
    }

    /// Makes the values of a path that leads through an optional, and so are optionals.
    static func wrapping<Property>(_: Property.Type) -> PathEnding {
        SmallPathEnding.isRight(for: Property.self)
            ? SmallPathEnding(size: MemoryLayout<Property?>.size) : OptionalPathEnding<Property>()
    }
}

/// Wraps values of any type in optionals.
private final class OptionalPathEnding<Property>: PathEnding {
    override func withValues(
        _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) {
        unsafe withValue(old) { old in unsafe withValue(new) { new in unsafe body(old, new) } }
    }

    private func withValue(_ value: UnsafeRawPointer?, _ body: (UnsafeRawPointer?) -> Void) {
        guard let value = unsafe value else { return body(nil) }
        // The recorder saw a property of this type.
        let wrapped: Property?? = unsafe value.assumingMemoryBound(to: Property?.self).pointee.map { $0 }
        unsafe withUnsafePointer(to: wrapped) { unsafe body(UnsafeRawPointer($0)) }
    }
}
