// An access in place to an observed property, from its begin to its end.
public import CKeyValueObserving

/// An access in place, which excludes others as one to a plain property does.
///
/// With a reference to the object it fills the four words that an accessor can keep without an allocation.
@usableFromInline
struct AccessInPlace {
    /// What the runtime remembers of the access; or, if somebody is to be told, the change, retained, and the mark of
    /// one.
    ///
    /// The runtime knows its address until the access ends. It is that of the accessor's variable, which stays where it
    /// is once its address was given away.
    @usableFromInline var record: kvo_access

    /// An access that has not begun.
    @inlinable @inline(__always)
    init() {
        record = kvo_no_access()
    }

    /// Begins an access to a property.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - place: Where the property is stored.
    ///   - wrapped: Makes the property's key path.
    /// - Returns: Points to the storage for as long as the object lives.
    @inlinable @inline(__always)
    mutating func begin<Object: KeyValueObservable, Value>(
        _ object: Object, _ place: StoragePlace<Object, Observed<Value>>,
        _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> UnsafeMutablePointer<Observed<Value>> {
        let offset = place.knownOffset
        if _fastPath(offset != 0), _fastPath(!KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress)) {
            let pointer = unsafe place.pointer(in: object, at: offset)
            unsafe begin(at: pointer)
            return unsafe pointer
        }
        return unsafe beginObserved(object, place, wrapped)
    }

    /// Begins an access to a property of an object that was observed before, or whose place is not known.
    @inlinable @inline(never)
    mutating func beginObserved<Object: KeyValueObservable, Value>(
        _ object: Object, _ place: StoragePlace<Object, Observed<Value>>,
        _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> UnsafeMutablePointer<Observed<Value>> {
        let offset = place.offset(in: object)
        let pointer = unsafe place.pointer(in: object, at: offset)
        guard KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) else {
            unsafe begin(at: pointer)
            return unsafe pointer
        }
        let keyPath = wrapped()
        let property = PropertyIdentity(
            address: UInt(bitPattern: pointer), in: object, holding: Value.self, at: keyPath)
        if let change = ChangePipeline.willModify(object, property, reading: { $0[keyPath: keyPath] }) {
            unsafe begin(change, at: pointer)
        } else {
            unsafe begin(at: pointer)
        }
        return unsafe pointer
    }

    @inlinable @inline(__always)
    mutating func begin(at place: UnsafeMutableRawPointer) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe kvo_begin_modify(place, $0) }
    }

    @usableFromInline
    mutating func begin(_ change: ChangeInPlace, at place: UnsafeMutableRawPointer) {
        unsafe change.access.begin(at: place)
        record.words = unsafe (UInt(bitPattern: Unmanaged.passRetained(change).toOpaque()), kvo_change_mark(), 0)
    }

    /// Ends the access and tells of it.
    @inlinable @inline(__always)
    mutating func end() {
        // What the runtime writes is addresses of code and of accesses.
        if _slowPath(record.words.1 == kvo_change_mark()) {
            endChange()
        } else {
            unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe swift_endAccess($0) }
        }
    }

    @usableFromInline
    mutating func endChange() {
        guard let address = unsafe UnsafeRawPointer(bitPattern: record.words.0) else { return }
        let change = unsafe Unmanaged<ChangeInPlace>.fromOpaque(address).takeRetainedValue()
        change.access.end()
        ChangePipeline.didModify(change)
    }
}

/// Carries a change across an access in place, whose accessor has no room for it.
@usableFromInline
final class ChangeInPlace {
    let did: () -> Void
    /// A stored property of an object stays where it is as long as the object lives.
    var access = AccessInPlace()

    @usableFromInline
    init(did: @escaping () -> Void) {
        self.did = did
    }
}
