// Where what lies beside an object is found, if the Objective-C runtime does not keep it.
#if !canImport(ObjectiveC)
import KeyValueObserving

/// Finds what lies beside an object.
///
/// An entry is made when it is first asked for, and is taken out when its object ends. Its key is the object's address.
/// No other object has that address meanwhile, because the entry is taken out before the object's memory is freed.
enum BesideStore {
    typealias Entry = UnsafeMutablePointer<BesideObject>

    /// Several maps, so that objects that are made and end on several threads do not wait for one another.
    private static let maps = (0..<64).map { _ in AddressMap() }

    private static func map(_ address: UInt) -> AddressMap {
        // Not the bits that name the place in a map.
        maps[(AddressTable.hash(of: address) >> 25) & 63]
    }

    /// Objects whose entries were made in their `deinit`, and whose memory is therefore kept.
    ///
    /// Their end need not be noted any more: the class may have been unknown when the `deinit` began, or an actor runs it
    /// later. Whenever there is one more, the others are looked after. One that registered something in its `deinit` stays
    /// until that has ended.
    private static let late = Guarded<[UInt]>([])

    /// What lies beside an object of a notifying subclass, made now if this is the first use.
    ///
    /// It is not inlined, so that the compiler never knows that an object that comes here does not escape. It would put
    /// such an object on the stack, and end it without the function that its class has for that.
    ///
    /// - Parameter object: The object. The entry stays as long as the caller holds it.
    /// - Returns: The entry; nil if the object is ending and nothing can end with it any more.
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
        // From here on the end of the object is noted, if it was not before.
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

    /// Ends what lies beside the object at an address, and all that is registered there.
    static func end(at address: UInt) {
        let map = map(address)
        // An object that was never observed has nothing, and nobody asks for it any more.
        guard map.value(at: address) != nil, let found = map.remove(at: address),
            let entry = unsafe Entry(bitPattern: found)
        else { return }
        // No lock is held, for what is released here may be of classes of others.
        unsafe entry.deinitialize(count: 1)
        unsafe entry.deallocate()
    }
}
#endif
