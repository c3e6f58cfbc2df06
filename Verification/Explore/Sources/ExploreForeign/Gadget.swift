// A class of another module, which knows nothing of the library.

open class Gadget: @unchecked Sendable {
    open var size = 0

    public init() {}
}
