// Finding the data beside an object without the Objective-C runtime.
#if !canImport(ObjectiveC)
import KeyValueObserving

/// Finds the data beside an object.
///
/// An entry is made at its first use, and removed when its object ends. Its key is the object's address. No other
/// object has that address meanwhile, because the entry is removed before the object's memory is freed.
enum BesideStore {
    typealias Entry = UnsafeMutablePointer<BesideObject>

    /// Several maps, so that threads that make and release objects do not wait for one another.
    private static let maps = (0..<64).map { _ in AddressMap() }

    private static func map(_ address: UInt) -> AddressMap {
        // These are not the bits that choose the place in a map.
        maps[(AddressTable.hash(of: address) >> 25) & 63]
    }

    /// Objects with entries made in their `deinit`, whose memory is therefore kept.
    ///
    /// The end of such an object may be missed, because the class was unknown when the `deinit` began, or because an
    /// actor runs it later. Adding an object frees the memory of those that have ended. An object that registered
    /// something in its `deinit` stays until the `deinit` has ended.
    private static let late = Guarded<[UInt]>([])

    /// The data beside an object of a notifying subclass, created at the first use.
    ///
    /// It is not inlined, so that the compiler cannot see that the object does not escape. Otherwise the compiler would
    /// put the object on the stack, and end it without calling the class's function for that.
    ///
    /// - Parameter object: The object. The entry stays as long as the caller holds it.
    /// - Returns: The entry; nil if the object is ending and nothing can end with it.
    @inline(never)
    @_optimize(none)
    static func beside(_ object: AnyObject) -> Entry? {
        let address = ObjectClass.address(of: object)
        let map = map(address)
        if let found = map.value(at: address) { return unsafe Entry(bitPattern: found) }
        if !ObjectClass.isKnown {
            fatalError(
                """
                \(TypeName.of(object)) cannot be used: the Swift runtime keeps the classes of objects in another way than \
                KeyValueObservingSwizzling knows.
                """)
        }
        // From now on, the end of the object is noticed.
        _ = NotifyingClass.of(ObjectClass.of(object))
        if ObjectClass.isEnding(object), !ObjectClass.isEndingHere(object) {
            guard ObjectClass.keepMemory(of: object) else { return nil }
            keepUntilEnded(address)
        }
        let made = map.value(at: address) {
            let new = Entry.allocate(capacity: 1)
            unsafe new.initialize(to: BesideObject())
            return UInt(bitPattern: new)
        }
        return unsafe Entry(bitPattern: made)
    }

    private static func keepUntilEnded(_ address: UInt) {
        let others = late.withLock { late in
            defer { late = [address] }
            return late
        }
        let remaining = others.filter { other in !ObjectClass.freeMemory(at: other) { end(at: other) } }
        late.withLock { $0 += remaining }
    }

    /// Ends the data beside the object at an address, and the registrations there.
    static func end(at address: UInt) {
        let map = map(address)
        // An object that was never observed has no entry, and can get none any more.
        guard map.value(at: address) != nil, let found = map.remove(at: address),
            let entry = unsafe Entry(bitPattern: found)
        else { return }
        // No lock is held, because this may release objects of users' classes.
        unsafe entry.deinitialize(count: 1)
        unsafe entry.deallocate()
    }
}
#endif
