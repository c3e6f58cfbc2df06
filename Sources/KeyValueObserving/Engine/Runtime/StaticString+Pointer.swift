// The name of a file as it was passed, made again of its address.

extension StaticString {
    /// The constant text that begins at an address, and ends with a zero.
    ///
    /// The standard library has frozen the layout: an address, a number of bytes, and flags, which are 0 for UTF-8.
    @unsafe init(at start: UnsafePointer<UInt8>) {
        unsafe self = unsafeBitCast((start, String(cString: start).utf8.count, 0 as UInt8), to: Self.self)
    }
}
