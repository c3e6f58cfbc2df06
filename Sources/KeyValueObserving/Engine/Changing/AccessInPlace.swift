// An access in place, as the accessor of a property makes it.

/// An access in place to an observed property, which excludes others as one to a plain property does.
///
/// The class's own accessor cannot inline this one, so a key path would be followed for each access. Here the offset of
/// the storage is read from it instead, and the access is made at that address.
@usableFromInline
@safe struct AccessInPlace<Value> {
    // The runtime knows its address until the access ends. It is that of the accessor's variable, which stays where it
    // is once its address was given away.
    @usableFromInline var access: ExclusiveAccess
    /// The change, retained, if somebody is to be notified of it.
    @usableFromInline var change: Unmanaged<Mutation>?

    /// An access that has not begun.
    @inlinable @inline(__always)
    init() { access = ExclusiveAccess() }

    /// Begins the access.
    ///
    /// - Returns: Where the value is stored, for as long as the object lives.
    @inlinable @inline(__always)
    mutating func begin<Object: KeyValueObservable>(
        _ object: Object, _ storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> UnsafeMutablePointer<Value> {
        // The value is all that the wrapper stores.
        let pointer = unsafe KeyPathComponents.address(of: storage(), in: object).assumingMemoryBound(to: Value.self)
        unsafe begin(at: pointer, of: object, in: object.keyValueRegistrar.tableAddress) { wrapped() }
        return unsafe pointer
    }

    /// Begins the access at an address.
    @inlinable @inline(__always)
    mutating func begin(
        at pointer: UnsafeMutablePointer<Value>, of object: AnyObject, in table: UInt, _ keyPath: () -> AnyKeyPath
    ) {
        if _slowPath(KeyValueRegistrar.isObserved(table)) {
            unsafe change = Self.begin(object, pointer, table, keyPath)
        }
        // What has no size has no place that others could access.
        if MemoryLayout<Value>.size != 0 { unsafe access.begin(at: pointer) }
    }

    @inlinable @inline(__always)
    mutating func end(_ object: AnyObject) {
        if MemoryLayout<Value>.size != 0 { access.end() }
        if _slowPath(unsafe change != nil) { endChange(object) }
    }

    @inlinable @inline(never)
    static func begin(
        _ object: AnyObject, _ pointer: UnsafeMutablePointer<Value>, _ table: UInt, _ keyPath: () -> AnyKeyPath
    ) -> Unmanaged<Mutation>? {
        let place = unsafe StoragePlace(at: pointer, in: object) { PropertyIdentity(interning: keyPath()) }
        return unsafe Mutator.beginInPlace(at: place, of: object, in: table).map {
            unsafe .passRetained($0)
        }
    }

    @inlinable @inline(never)
    func endChange(_ object: AnyObject) {
        guard let change = unsafe change?.takeRetainedValue() else { return }
        Mutator.endInPlace(change, of: object) { StoragePlace<Value>(of: change.property, in: object).read() }
    }
}

extension KeyPathComponents {
    /// The address of a stored property of an object.
    ///
    /// It is given no types, so that the accessors of all properties share it.
    @usableFromInline
    @unsafe static func address(of storage: AnyKeyPath, in object: AnyObject) -> UnsafeMutableRawPointer {
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
