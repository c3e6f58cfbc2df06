// An access to storage by its address, which excludes others as one that the compiler makes does.
#if !KEY_VALUE_OBSERVING_PLAIN
public import CKeyValueObserving

/// An access that changes what lies at an address, as the Swift runtime keeps it.
///
/// The runtime knows the address of the record until the access ends, so it must not move: it is that of a variable of
/// an accessor. Without this file accesses are made through key paths.
@frozen @usableFromInline
struct ExclusiveAccess {
    @usableFromInline var record: kvo_access

    /// An access that has not begun.
    @inlinable @inline(__always)
    init() { record = kvo_no_access() }

    /// Begins the access; traps if another one is under way.
    @inlinable @inline(__always)
    mutating func begin(at place: UnsafeMutableRawPointer) {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe kvo_begin_modify(place, $0) }
    }

    /// Ends the access, if it has begun.
    @inlinable @inline(__always)
    mutating func end() {
        unsafe _withUnprotectedUnsafeMutablePointer(to: &record) { unsafe swift_endAccess($0) }
    }
}
#endif
