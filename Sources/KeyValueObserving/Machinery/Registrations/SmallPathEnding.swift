// Wrapping a value in an optional without knowing its type.

/// Wraps a small value in an optional by copying its bytes.
///
/// An optional that holds a value has the value's bytes first and zeros behind them, if it has room there. This is so
/// for an optional around an optional as well, so a value that is there needs nothing but one more zero. The copy is not
/// counted as a reference: the property's value stays where it is as long as the copy is used, and nobody ends the copy.
/// ``isLayoutKnown`` tries it; where it comes out otherwise the types do the work.
@safe final class SmallPathEnding: PathEnding {
    typealias Room = (UInt, UInt, UInt, UInt)

    /// The size of the optional that is given.
    private let size: Int

    /// - Parameter size: The size of an optional of the property's type.
    init(size: Int) {
        self.size = size
    }

    override func withValues(
        _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) {
        var rooms: (Room, Room) = ((0, 0, 0, 0), (0, 0, 0, 0))
        unsafe withUnsafeMutablePointer(to: &rooms) { rooms in
            let rooms = UnsafeMutableRawPointer(rooms)
            unsafe body(copy(old, to: rooms), copy(new, to: rooms + MemoryLayout<Room>.stride))
        }
    }

    private func copy(_ value: UnsafeRawPointer?, to room: UnsafeMutableRawPointer) -> UnsafeRawPointer? {
        guard let value = unsafe value else { return nil }
        unsafe room.copyMemory(from: value, byteCount: size)
        return UnsafeRawPointer(room)
    }

    /// Whether it works for properties of a type.
    static func isRight<Property>(for _: Property.Type) -> Bool {
        #if canImport(ObjectiveC)
        // A weak reference to an object of Objective-C is known by its address.
        guard _isPOD(Property.self) else { return false }
        #endif
        return isLayoutKnown && MemoryLayout<Property??>.size <= MemoryLayout<Room>.size
            && MemoryLayout<Property>.alignment <= MemoryLayout<Room>.alignment
    }

    /// Whether a few values come out as they must.
    static let isLayoutKnown: Bool =
        wraps(7) && wraps(true) && wraps(UInt8(255)) && wraps("text") && wraps([1]) && wraps(Sample())
        && wraps(Int?(3)) && wraps((1, UInt8(2)))

    private static func wraps<Value>(_ value: Value) -> Bool {
        let wrapped: Value? = value
        let expected: Value?? = wrapped
        var comesOut = false
        unsafe withUnsafePointer(to: wrapped) { wrapped in
            unsafe SmallPathEnding(size: MemoryLayout<Value?>.size).withValues(nil, wrapped) { _, result in
                comesOut = unsafe withUnsafeBytes(of: expected) { expected in
                    unsafe expected.elementsEqual(UnsafeRawBufferPointer(start: result, count: expected.count))
                }
            }
        }
        return comesOut
    }
}

private final class Sample {}
