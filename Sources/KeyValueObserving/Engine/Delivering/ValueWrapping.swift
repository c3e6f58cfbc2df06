// Values of a property as values of a path that leads to it through an optional.

/// Wraps values of a type in optionals.
///
/// An optional begins with the value that it wraps, and the bytes after that are zero. One can therefore be made from
/// the bytes of a value, for all types alike. It retains nothing: its readers copy it, while the frame holds the value.
/// ``areBytesKnown`` tries that on sample values of several types. If the outcome differs, values are copied with their
/// types.
struct ValueWrapping: Sendable {
    /// Room for three small optionals.
    private typealias Room = (Place, Place, Place)
    private typealias Place = (UInt, UInt, UInt, UInt)

    private let valueType: Any.Type
    /// The size of a value in a change, which is an optional, too.
    private let size: Int
    /// The stride of the wrapped value.
    private let stride: Int
    private let alignment: Int
    /// Whether three wrapped values fit into a `Room`.
    private let areSmall: Bool
    /// Whether a copy of a value's bytes is the value.
    private let areBytes: Bool

    init<Value>(of type: Value.Type) {
        valueType = type
        size = MemoryLayout<Value?>.size
        stride = MemoryLayout<Value??>.stride
        alignment = MemoryLayout<Value??>.alignment
        areBytes = _isBitwiseTakable(type) && Self.areBytesKnown
        areSmall = areBytes && stride <= MemoryLayout<Place>.size && alignment <= MemoryLayout<Place>.alignment
    }

    /// Whether the samples are wrapped by their bytes: values with and without spare bits, references, and nil.
    static let areBytesKnown = RuntimeAssumption.outcome {
        areBytesWrapped(-1 as Int?) && areBytesWrapped(nil as Int?) && areBytesWrapped(true as Bool?)
            && areBytesWrapped(nil as Bool?) && areBytesWrapped("text" as String?) && areBytesWrapped(nil as String?)
            && areBytesWrapped([1] as [Int]?) && areBytesWrapped(7 as Int??) && areBytesWrapped(nil as [Int]?)
    }

    private static func areBytesWrapped<Value>(_ value: Value?) -> Bool {
        let wrapped: Value?? = .some(value)
        return unsafe withUnsafeBytes(of: wrapped) { wrapped in
            unsafe withUnsafeBytes(of: value) { value in
                unsafe wrapped.starts(with: value) && wrapped.dropFirst(value.count).allSatisfy { $0 == 0 }
            }
        }
    }

    /// Calls `body` with the values of a path, given those of the property at its end.
    @inline(__always)
    static func with(_ wrapping: ValueWrapping?, _ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        if let wrapping { wrapping.withWrapped(values, body) } else { body(values) }
    }

    /// Calls `body` with optionals of values; missing values stay missing.
    @inline(__always)
    private func withWrapped(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        if !areSmall { return withLarge(values, body) }
        var room: Room = ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
        unsafe _withUnprotectedUnsafeMutablePointer(to: &room) {
            unsafe body(copied(values, to: UnsafeMutableRawPointer($0), MemoryLayout<Place>.size))
        }
    }

    @inline(never)
    private func withLarge(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        if !areBytes { return withOthers(values, body) }
        unsafe withUnsafeTemporaryAllocation(byteCount: 3 * stride, alignment: alignment) { room in
            guard let start = room.baseAddress else { preconditionFailure("an optional has a size") }
            unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe body(copied(values, to: start, stride))
        }
    }

    private func withOthers(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        func open<Value>(_ type: Value.Type) {
            func wrapped(_ value: Value?) -> Value?? { value.map { $0 } }
            ChangeValues.with(
                old: wrapped(values.old(as: type)), new: wrapped(values.new(as: type)),
                whole: wrapped(values.whole(as: type)), body)
        }
        _openExistential(valueType, do: open)
    }

    /// Copies values, each into its part of a zeroed memory.
    @inline(__always)
    @unsafe private func copied(
        _ values: ChangeValues, to start: UnsafeMutableRawPointer, _ stride: Int
    ) -> ChangeValues {
        func copy(_ value: UnsafeRawPointer?, to place: UnsafeMutableRawPointer) -> UnsafeRawPointer? {
            guard let value = unsafe value else { return nil }
            unsafe place.copyMemory(from: value, byteCount: size)
            return UnsafeRawPointer(place)
        }
        return unsafe ChangeValues(
            old: copy(values.oldPointer, to: start), new: copy(values.newPointer, to: start + stride),
            whole: copy(values.wholePointer, to: start + 2 * stride))
    }
}
