// The value of a path that ends at a property, made of the property's value.

/// Makes the value of a path of that of the property it ends at, which is of the same type.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
class PathEnding {
    /// Calls `body` with a pointer to the path's value.
    ///
    /// - Parameters:
    ///   - value: Points to the property's value, as an optional.
    ///   - body: Is given a pointer to the path's value, as an optional.
    func withValue(_ value: UnsafeRawPointer, _ body: (UnsafeRawPointer) -> Void) {
        unsafe body(value)
    }
}

/// Makes the value of a path that leads through an optional, and so is one.
final class OptionalPathEnding<Property>: PathEnding {
    override func withValue(_ value: UnsafeRawPointer, _ body: (UnsafeRawPointer) -> Void) {
        // The recorder saw a property of this type.
        let wrapped: Property?? = unsafe value.assumingMemoryBound(to: Property?.self).pointee.map { $0 }
        unsafe withUnsafePointer(to: wrapped) { unsafe body(UnsafeRawPointer($0)) }
    }
}
