// An access in place, as the accessor of a property makes it.
public import CKeyValueObserving

/// An access in place to an observed property, which excludes others as one to a plain property does.
///
/// The class's own accessor cannot inline this one, so a key path would be followed for each access. Here the offset of
/// the storage is read from it instead, and the access is made at that address.
///
/// With the object it is four words. They fit into the frame that the caller of the accessor provides, so the compiler
/// allocates no other one. If observers are notified, the change has the access.
@frozen @usableFromInline
@safe struct AccessInPlace {
    /// What the runtime keeps of the access; if that has not begun, it leads to the change, retained.
    ///
    /// The runtime knows its address until the access ends. It is that of the accessor's variable, which stays where it is
    /// once its address was given away.
    @usableFromInline var record: kvo_access

    /// An access that has not begun.
    @inlinable @inline(__always)
    init() { record = kvo_no_access() }

    // The accessors call these without closures, each of which the compiler would specialize for each property.

    /// Begins the access to what a key path leads to.
    ///
    /// - Returns: Where the value is stored, for as long as the object lives.
    @usableFromInline
    mutating func begin<Value>(
        _ storage: AnyKeyPath, of object: AnyObject, in table: UInt, _: Value.Type, named keyPath: () -> AnyKeyPath
    ) -> UnsafeMutableRawPointer {
        let pointer = unsafe KeyPathComponents.address(of: storage, in: object)
        unsafe begin(at: pointer, of: object, in: table, Value.self, named: keyPath)
        return unsafe pointer
    }

    /// Begins the access at an address.
    @inline(__always)
    @unsafe mutating func begin<Value>(
        at pointer: UnsafeMutableRawPointer, of object: AnyObject, in table: UInt, _: Value.Type,
        named keyPath: () -> AnyKeyPath
    ) {
        if _slowPath(KeyValueRegistrar.isObserved(table)),
            let change = unsafe Self.beginChange(object, pointer, table, Value.self, keyPath)
        {
            if MemoryLayout<Value>.size != 0 { unsafe change.access.begin(at: pointer) }
            unsafe kvo_set_change(&record, Unmanaged.passRetained(change).toOpaque())
        } else if MemoryLayout<Value>.size != 0 {
            // What has no size has no place that others could access.
            unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe kvo_begin_modify(pointer, $0) }
        }
    }

    /// Ends the access.
    @usableFromInline
    mutating func end(_ object: AnyObject) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) {
            if let change = unsafe kvo_change($0) {
                Self.endChange(unsafe Unmanaged<Mutation>.fromOpaque(change).takeRetainedValue(), of: object)
            } else {
                unsafe swift_endAccess($0)
            }
        }
    }

    @inline(never)
    @unsafe private static func beginChange<Value>(
        _ object: AnyObject, _ pointer: UnsafeMutableRawPointer, _ table: UInt, _: Value.Type,
        _ keyPath: () -> AnyKeyPath
    ) -> Mutation? {
        let place = unsafe StoragePlace(at: pointer.assumingMemoryBound(to: Value.self), in: object, of: keyPath)
        return Mutator.beginInPlace(at: place, of: object, in: table)
    }

    @inline(never)
    private static func endChange(_ change: Mutation, of object: AnyObject) {
        change.access.end()
        func end<Value>(_ type: Value.Type) { Mutator.endInPlace(change, of: object, type) }
        let type = change.unretainedSource.with { $0.description.valueType }
        _openExistential(type, do: end)
    }
}

extension KeyPathComponents {
    /// The address of a stored property of an object.
    ///
    /// It is given no types, so that the accessors of all properties share it.
    @unsafe fileprivate static func address(of storage: AnyKeyPath, in object: AnyObject) -> UnsafeMutableRawPointer {
        guard let offset = offsetOfStoredProperty(storage) else {
            return unsafe addressByFollowing(storage, from: object)
        }
        return unsafe Unmanaged.passUnretained(object).toOpaque() + Int(bitPattern: offset)
    }

    /// The address that a key path leads to, where that does not state how far the property lies from the start.
    @inline(never)
    @unsafe private static func addressByFollowing(
        _ storage: AnyKeyPath, from object: AnyObject
    ) -> UnsafeMutableRawPointer {
        func open<Object, Value>(_: Object.Type, _: Value.Type) -> UnsafeMutableRawPointer? {
            guard let object = object as? Object, let storage = storage as? ReferenceWritableKeyPath<Object, Value>
            else { return nil }
            return unsafe withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
        }
        func openObject<Object>(_ type: Object.Type) -> UnsafeMutableRawPointer? {
            func openValue<Value>(_ value: Value.Type) -> UnsafeMutableRawPointer? { unsafe open(type, value) }
            return unsafe _openExistential(Swift.type(of: storage).valueType, do: openValue)
        }
        guard let address = unsafe _openExistential(type(of: storage).rootType, do: openObject) else {
            preconditionFailure("the key path of a wrapper's storage can be written, and starts at its object")
        }
        return unsafe address
    }
}
