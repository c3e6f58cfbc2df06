// An access in place to an observed property, from its begin to its end.
public import CKeyValueObserving

/// An access in place, which excludes others as one to a plain property does.
///
/// With a reference to the object it fills the four words that an accessor can keep without an allocation.
@usableFromInline
struct AccessInPlace {
    /// What the runtime remembers of the access; or the marker, and what stands for one; or, if somebody is to be told,
    /// the change, retained, and what stands for one.
    ///
    /// In the place of what stands for those the runtime writes an address of code.
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
            if !AccessMark.serves(Value.self) {
                unsafe begin(at: pointer)
                return unsafe pointer
            }
            if unsafe mark(pointer) { return unsafe pointer }
        }
        return unsafe beginCarefully(object, place, wrapped)
    }

    /// Begins an access to a property of an object that was observed before, whose place is not known, or on a thread
    /// that has no mark to set.
    @inlinable @inline(never)
    mutating func beginCarefully<Object: KeyValueObservable, Value>(
        _ object: Object, _ place: StoragePlace<Object, Observed<Value>>,
        _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> UnsafeMutablePointer<Observed<Value>> {
        AccessMark.ofThisThread(for: Value.self).trapIfOfProperty(of: object, place.keyPath)
        let pointer = unsafe place.pointer(in: object, at: place.offset(in: object))
        if KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) {
            let keyPath = wrapped()
            let property = PropertyIdentity(
                address: UInt(bitPattern: pointer), in: object, holding: Value.self, at: keyPath)
            if let change = ChangePipeline.willModify(object, property, reading: { $0[keyPath: keyPath] }) {
                unsafe begin(change, at: pointer)
                return unsafe pointer
            }
        }
        unsafe beginCarefully(at: pointer)
        return unsafe pointer
    }

    @usableFromInline
    mutating func begin<Value>(_ change: ChangeInPlace, at place: UnsafeMutablePointer<Observed<Value>>) {
        unsafe change.access.beginCarefully(at: place)
        record.words = unsafe (UInt(bitPattern: Unmanaged.passRetained(change).toOpaque()), kvo_changing_access(), 0)
    }

    /// Begins an access that nobody is told of, or whose change is carried elsewhere.
    @usableFromInline
    mutating func beginCarefully<Value>(at place: UnsafeMutablePointer<Observed<Value>>) {
        if AccessMark.serves(Value.self) {
            kvo_make_marker()
            if unsafe mark(place) { return }
        }
        unsafe begin(at: place)
    }

    /// Marks a property; false if the thread has no mark to set.
    @inlinable @inline(__always)
    mutating func mark(_ place: UnsafeMutableRawPointer) -> Bool {
        let marker = kvo_mark(UInt(bitPattern: place))
        guard _fastPath(marker != 0) else { return false }
        record.words = (marker, kvo_marked_access(), 0)
        return true
    }

    /// Begins an access that the runtime knows.
    @inlinable @inline(__always)
    mutating func begin(at place: UnsafeMutableRawPointer) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe kvo_begin_modify(place, $0) }
    }

    /// Ends the access to a property with values of a type, and tells of it.
    @inlinable @inline(__always)
    mutating func end<Value>(_: Value.Type) {
        if AccessMark.serves(Value.self), _fastPath(record.words.1 == kvo_marked_access()) {
            kvo_unmark(record.words.0)
        } else if _slowPath(record.words.1 == kvo_changing_access()) {
            endChange(Value.self)
        } else {
            end()
        }
    }

    /// Ends an access that the runtime knows.
    @inlinable @inline(__always)
    mutating func end() {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe swift_endAccess($0) }
    }

    @usableFromInline
    func endChange<Value>(_: Value.Type) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: record.words.0) else { return }
        let change = unsafe Unmanaged<ChangeInPlace>.fromOpaque(address).takeRetainedValue()
        change.access.end(Value.self)
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
