// Restoring the name of a file from its address.

extension StaticString {
    /// Creates the constant text that begins at an address and ends with a zero.
    ///
    /// The standard library has frozen the layout: an address, a number of bytes, and flags, which are 0 for UTF-8.
    /// ``isLayoutKnown`` checks that. If the outcome differs, the text is `an unknown file`.
    @unsafe init(at start: UnsafePointer<UInt8>) {
        unsafe self = Self.isLayoutKnown ? Self(casting: start) : "an unknown file"
    }

    @unsafe private init(casting start: UnsafePointer<UInt8>) {
        unsafe self = unsafeBitCast((start, String(cString: start).utf8.count, 0 as UInt8), to: Self.self)
    }

    /// Whether a constant text can be restored from its address.
    static let isLayoutKnown = RuntimeAssumption.outcome {
        let sample: StaticString = "Module/Größe.swift"
        guard MemoryLayout<(UInt, Int, UInt8)>.size == MemoryLayout<StaticString>.size, sample.hasPointerRepresentation
        else { return false }
        let made = unsafe StaticString(casting: sample.utf8Start)
        return made.hasPointerRepresentation && made.description == sample.description
    }
}
