// An access in place, as the accessor of a property makes it.
public import CKeyValueObserving

/// An access in place to an observed property, which excludes other accesses as for a plain property.
///
/// The class's own accessor cannot inline this one, so each access would follow a key path. This type reads the offset
/// of the storage from the key path instead, and makes the access at that address.
///
/// With the object it is four words. They fit into the frame that the caller of the accessor provides, so the compiler
/// allocates no other one. If observers are notified, the change owns the access.
@frozen @usableFromInline
@safe struct AccessInPlace {
    /// The runtime's record of the access; until the access begins, it holds a retained reference to the change.
    ///
    /// The runtime knows the record's address until the access ends. It is the address of the accessor's variable,
    /// which does not move once its address was passed on.
    @usableFromInline var record: kvo_access

    /// An access that has not begun.
    @inlinable @inline(__always)
    init() { record = kvo_no_access() }

    // The accessors call these without closures, because the compiler would specialize each closure for each property.

    /// Begins the access to the value that a key path leads to.
    ///
    /// - Returns: The address of the value, as long as the object lives.
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
            // A value without a size has no place that other code could access.
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
    /// It is not generic, so that the accessors of all properties share it.
    @unsafe fileprivate static func address(of storage: AnyKeyPath, in object: AnyObject) -> UnsafeMutableRawPointer {
        guard let offset = offsetOfStoredProperty(storage) else {
            return unsafe addressByFollowing(storage, from: object)
        }
        return unsafe Unmanaged.passUnretained(object).toOpaque() + Int(bitPattern: offset)
    }

    /// The address that a key path leads to, if the key path does not contain the property's offset.
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
