// What libFuzzer gives, read piece by piece.

/// Bytes that decide what a target does; when they are used up, all that follows is zero.
final class Input {
    private var bytes: ArraySlice<UInt8>

    init(_ data: UnsafeRawBufferPointer) { bytes = Array(data)[...] }

    var isEmpty: Bool { bytes.isEmpty }

    func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// A number below a bound.
    func number(_ bound: Int) -> Int { Int(byte()) % max(1, bound) }

    func one<Element>(of elements: [Element]) -> Element { elements[number(elements.count)] }

    /// As many bytes as there are, up to a number; a number of any bits.
    func bits() -> UInt64 { (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) } }

    /// All that is left, as text.
    func text() -> String {
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Text up to a byte of zero.
    func word() -> String {
        let word = bytes.prefix { $0 != 0 }
        bytes = bytes.dropFirst(word.count + 1)
        return String(decoding: word, as: UTF8.self)
    }
}
