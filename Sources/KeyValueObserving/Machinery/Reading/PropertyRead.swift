// What a getter does beside reading.
public import CKeyValueObserving

/// A read of an observed property.
@usableFromInline
enum PropertyRead {
    /// Whether a recorder is listening on this thread, or the thread has marked a property.
    @inlinable @inline(__always)
    static func isToBeNoted(_ mark: AccessMark) -> Bool {
        // One branch for both.
        unsafe UInt(bitPattern: kvo_recording()) | mark.address != 0
    }

    /// Tells the recorder of this thread of a read, and traps if the property is being changed in place.
    @usableFromInline
    static func note<Object: KeyValueObservable, Value>(
        _ object: Object, _ mark: AccessMark, _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        _ storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        if mark != .none { mark.trapIfOfProperty(of: object, storage) }
        ReadingRecorder.report(object, wrapped: wrapped, storage: storage)
    }
}
