// A class of another module, which knows nothing of the library.

/// Something with a size.
open class Gadget: @unchecked Sendable {
    /// How large it is.
    open var size = 0

    /// Creates one without a size.
    public init() {}
}
