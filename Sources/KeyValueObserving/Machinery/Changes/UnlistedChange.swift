// A change of a property that one path leads through, as long as nothing else changes.
import CKeyValueObserving

/// A change that one path is to be read for, until another change begins before its did.
///
/// Getters that are read hardly ever change anything. So such a change lies in the frame that makes it, and only the
/// thread knows where. A change that begins inside it finds it there and puts it on the list of open changes
/// (``list()``); from then on it is an `OpenChange` like others.
@safe struct UnlistedChange: ~Copyable {
    // What is not retained here, the caller of `make` holds, and its frame the root.
    private let property: PropertyIdentity
    private let table: Unmanaged<ObservationTable>
    private let object: Unmanaged<AnyObject>
    private let audience: Unmanaged<Audience>
    private let path: Unmanaged<ObservedPath>
    /// The object that the path starts at.
    let root: Unmanaged<AnyObject>
    // What is retained here is released when everybody was told, so that nothing is left to be done when this ends.
    private var retainedOld: Unmanaged<AnyValue>?
    private var retainedNew: Unmanaged<AnyValue>?
    /// Whether the old value was read, if it is needed.
    private var isBegun = false
    /// What it became when another change began.
    private var retainedOpen: Unmanaged<OpenChange>?

    /// Makes a change; the audience consists of those who observe one path, and of such as need no values.
    ///
    /// The caller holds the object and the audience.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - object: Whose it is.
    ///   - table: The object's table.
    ///   - audience: Who is to be told.
    ///   - store: Makes the change.
    /// - Returns: False if nothing was done: the object that the path starts at is gone.
    static func make(
        _ property: PropertyIdentity, of object: Unmanaged<AnyObject>, in table: Unmanaged<ObservationTable>,
        for audience: Unmanaged<Audience>, store: () -> Void
    ) -> Bool {
        let only = unsafe audience._withUnsafeGuaranteedRef { unsafe ($0.onlyPath, $0.needsOldOfPaths) }
        guard let path = unsafe only.0 else { return false }
        // Nearly always the object itself, which is held.
        if unsafe path._withUnsafeGuaranteedRef({ unsafe $0.starts(at: object) }) {
            unsafe make(property, of: object, in: table, for: audience, path, from: object, needsOld: only.1, store)
            return true
        }
        guard let root = unsafe path._withUnsafeGuaranteedRef({ $0.start }) else { return false }
        unsafe make(
            property, of: object, in: table, for: audience, path, from: .passUnretained(root), needsOld: only.1, store)
        extendLifetime(root)
        return true
    }

    private static func make(
        _ property: PropertyIdentity, of object: Unmanaged<AnyObject>, in table: Unmanaged<ObservationTable>,
        for audience: Unmanaged<Audience>, _ path: Unmanaged<ObservedPath>, from root: Unmanaged<AnyObject>,
        needsOld: Bool, _ store: () -> Void
    ) {
        var change = unsafe UnlistedChange(
            property: property, table: table, object: object, audience: audience, path: path, root: root)
        // The thread knows the change's address no longer than until its did, which is in this frame.
        unsafe withUnsafeMutablePointer(to: &change) { change in
            unsafe kvo_set_unlisted(change)
            // The values are only here, so that what holds them can be kept for the next change.
            if needsOld {
                unsafe change.pointee.retainedOld = path._withUnsafeGuaranteedRef { path in
                    unsafe root._withUnsafeGuaranteedRef { unsafe .passRetained(path.value(from: $0)) }
                }
            }
            unsafe change.pointee.begin()
            store()
            unsafe change.pointee.retainedNew = path._withUnsafeGuaranteedRef { path in
                unsafe root._withUnsafeGuaranteedRef { unsafe .passRetained(path.rewire(from: $0)) }
            }
            unsafe change.pointee.end()
            unsafe deliver(change, of: object, to: audience)
        }
    }

    /// Points to the old value, if it was read.
    var old: UnsafeRawPointer? {
        unsafe retainedOld.map { unsafe $0._withUnsafeGuaranteedRef { unsafe UnsafeRawPointer($0.pointer) } }
    }

    /// Points to the new value, once it was read.
    var new: UnsafeRawPointer? {
        unsafe retainedNew.map { unsafe $0._withUnsafeGuaranteedRef { unsafe UnsafeRawPointer($0.pointer) } }
    }

    private var open: OpenChange? { unsafe retainedOpen?.takeUnretainedValue() }

    private mutating func begin() {
        isBegun = true
        if let open {
            unsafe path._withUnsafeGuaranteedRef {
                unsafe open.begin($0, from: root, old: retainedOld?.takeUnretainedValue())
            }
        }
    }

    private func end() {
        guard let open else { return kvo_set_unlisted(nil) }
        unsafe path._withUnsafeGuaranteedRef { unsafe open.end($0, new: retainedNew?.takeUnretainedValue()) }
    }

    /// Puts the change of this thread that is not on the list there, for another one begins or asks.
    @inline(__always)
    static func list() {
        if let address = unsafe kvo_unlisted() { unsafe list(address) }
    }

    @inline(never)
    private static func list(_ address: UnsafeMutableRawPointer) {
        kvo_set_unlisted(nil)
        let change = unsafe address.assumingMemoryBound(to: UnlistedChange.self)
        let open = unsafe OpenChange.begin(
            change.pointee.property, of: change.pointee.object.takeUnretainedValue(),
            in: change.pointee.table.takeUnretainedValue(), for: change.pointee.audience.takeUnretainedValue(),
            elements: nil)
        unsafe change.pointee.retainedOpen = .passRetained(open)
        if unsafe change.pointee.isBegun {
            unsafe open.begin(
                change.pointee.path.takeUnretainedValue(), from: change.pointee.root,
                old: change.pointee.retainedOld?.takeUnretainedValue())
        }
    }

    private static func deliver(
        _ change: UnsafeMutablePointer<Self>, of object: Unmanaged<AnyObject>, to audience: Unmanaged<Audience>
    ) {
        if let open = unsafe change.pointee.retainedOpen?.takeRetainedValue() {
            unsafe Delivery.run(
                to: audience.takeUnretainedValue(), object: object.takeUnretainedValue(), open: open, elements: nil,
                isPrior: false, old: nil, new: nil)
            open.end()
        } else {
            unsafe Delivery.run(to: audience, object: object, unlisted: change)
        }
        unsafe OpenChanges.unretainedMadeOfThisThread._withUnsafeGuaranteedRef { list in
            unsafe list.keep(change.pointee.retainedOld)
            unsafe list.keep(change.pointee.retainedNew)
        }
    }
}
