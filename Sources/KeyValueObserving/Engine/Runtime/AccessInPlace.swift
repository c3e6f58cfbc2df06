// An access in place, as the accessor of a property makes it.

#if KEY_VALUE_OBSERVING_PLAIN
/// What an access in place does before and after the access itself, which the accessor makes by the key path.
@usableFromInline
enum AccessInPlace {
    @usableFromInline
    static func begin<Object: KeyValueObservable, Value>(
        _ object: Object, _ storage: @escaping () -> ReferenceWritableKeyPath<Object, Observed<Value>>,
        of wrapped: () -> ReferenceWritableKeyPath<Object, Value>
    ) -> ChangeInPlace? {
        let table = object.keyValueRegistrar.tableAddress
        guard KeyValueRegistrar.isObserved(table) else { return nil }
        return Assignment.beginInPlace(at: StoragePlace(in: object, at: storage, of: wrapped), of: object, in: table) {
            wrapped()
        }
    }

    @usableFromInline
    static func end<Object: KeyValueObservable, Value>(
        _ change: ChangeInPlace?, _ object: Object, _ storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        if let change { Assignment.endInPlace(change) { object[keyPath: storage()].value } }
    }
}
#else
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
    @usableFromInline var change: Unmanaged<ChangeInPlace>?

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
        let table = object.keyValueRegistrar.tableAddress
        if _slowPath(KeyValueRegistrar.isObserved(table)) {
            unsafe change = Self.begin(object, pointer, table) { wrapped() }
        }
        // What has no size has no place that others could access.
        if MemoryLayout<Value>.size != 0 { unsafe access.begin(at: pointer) }
        return unsafe pointer
    }

    @inlinable @inline(__always)
    mutating func end() {
        if MemoryLayout<Value>.size != 0 { access.end() }
        if _slowPath(unsafe change != nil) { endChange() }
    }

    @inlinable @inline(never)
    static func begin(
        _ object: AnyObject, _ pointer: UnsafeMutablePointer<Value>, _ table: UInt, _ keyPath: () -> AnyKeyPath
    ) -> Unmanaged<ChangeInPlace>? {
        let place = unsafe StoragePlace(at: pointer, in: object) { PropertyIdentity(interning: keyPath()) }
        return unsafe Assignment.beginInPlace(at: place, of: object, in: table, named: keyPath).map {
            unsafe .passRetained($0)
        }
    }

    @inlinable @inline(never)
    func endChange() {
        guard let change = unsafe change?.takeRetainedValue() else { return }
        Assignment.endInPlace(change) {
            change.object.with { StoragePlace<Value>(of: change.property, in: $0).read() }
        }
    }
}
#endif
