// One object that is used again and again.
import Synchronization

/// Keeps one object for its next use, whichever thread that is on, without a lock.
struct Spare<Object: AnyObject>: ~Copyable {
    private let word = Atomic<UInt>(0)

    deinit { _ = take() }

    /// Takes the object, if there is one.
    borrowing func take() -> Object? {
        guard word.load(ordering: .relaxed) != 0 else { return nil }
        let address = word.exchange(0, ordering: .acquiring)
        return unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0).takeRetainedValue() }
    }

    /// Keeps an object, unless there is one.
    borrowing func put(_ object: Object) {
        let reference = unsafe Unmanaged.passRetained(object)
        let address = unsafe UInt(bitPattern: reference.toOpaque())
        let isKept = word.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
        if !isKept { unsafe reference.release() }
    }
}
