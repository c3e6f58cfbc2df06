// A change of a property that one path leads through, as long as nothing else changes.
import CKeyValueObserving

/// A change that one path is to be read for, until another change begins before its did.
///
/// Getters that are read hardly ever change anything. So such a change lies in the frame that makes it, and only the
/// thread knows where. A change that begins inside it finds it there and puts it on the list of open changes
/// (``list()``); from then on it is an `OpenChange` like others.
@safe struct UnlistedChange: ~Copyable {
    // What is not retained here, the frame of `make` holds.
    private let property: PropertyIdentity
    private let table: Unmanaged<ObservationTable>
    private let object: Unmanaged<AnyObject>
    private let audience: Unmanaged<Audience>
    private let path: Unmanaged<ObservedPath>
    /// The object that the path starts at.
    let root: Unmanaged<AnyObject>
    private(set) var old: AnyValue?
    private(set) var new: AnyValue?
    /// Whether the old value was read, if it is needed.
    private var isBegun = false
    /// What it became when another change began.
    private var open: OpenChange?

    /// Makes a change; the audience consists of those who observe one path, and of such as need no values.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - object: Whose it is.
    ///   - table: The object's table.
    ///   - audience: Who is to be told.
    ///   - store: Makes the change.
    /// - Returns: False if nothing was done: the object that the path starts at is gone.
    static func make(
        _ property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, for audience: Audience,
        store: () -> Void
    ) -> Bool {
        let path = audience.paths[0]
        guard let root = path.start else { return false }
        var change = unsafe UnlistedChange(
            property: property, table: .passUnretained(table), object: .passUnretained(object),
            audience: .passUnretained(audience), path: .passUnretained(path), root: .passUnretained(root))
        // The thread knows the change's address no longer than until its did, which is in this frame.
        unsafe withUnsafeMutablePointer(to: &change) { change in
            unsafe kvo_set_unlisted(change)
            // The values are only here, so that what holds them can be kept for the next change.
            if path.needsOld { unsafe change.pointee.old = path.value(from: root) }
            unsafe change.pointee.begin()
            store()
            unsafe change.pointee.new = path.rewire(from: root)
            unsafe change.pointee.end()
            unsafe deliver(change)
        }
        withExtendedLifetime((object, table, audience, path, root)) {}
        return true
    }

    private mutating func begin() {
        isBegun = true
        if let open { unsafe path._withUnsafeGuaranteedRef { unsafe open.begin($0, from: root, old: old) } }
    }

    private func end() {
        guard let open else { return kvo_set_unlisted(nil) }
        unsafe path._withUnsafeGuaranteedRef { open.end($0, new: new) }
    }

    /// Puts the change of this thread that is not on the list there, for another one begins or asks.
    static func list() {
        guard let address = unsafe kvo_unlisted() else { return }
        kvo_set_unlisted(nil)
        let change = unsafe address.assumingMemoryBound(to: UnlistedChange.self)
        let open = unsafe OpenChange.begin(
            change.pointee.property, of: change.pointee.object.takeUnretainedValue(),
            in: change.pointee.table.takeUnretainedValue(), for: change.pointee.audience.takeUnretainedValue(),
            elements: nil)
        unsafe change.pointee.open = open
        if unsafe change.pointee.isBegun {
            unsafe open.begin(
                change.pointee.path.takeUnretainedValue(), from: change.pointee.root, old: change.pointee.old)
        }
    }

    private static func deliver(_ change: UnsafeMutablePointer<Self>) {
        unsafe change.pointee.audience._withUnsafeGuaranteedRef { audience in
            unsafe change.pointee.object._withUnsafeGuaranteedRef { object in
                guard let open = unsafe change.pointee.open else {
                    return unsafe Delivery.run(
                        to: audience, object: object, open: nil, unlisted: change, elements: nil, isPrior: false,
                        old: nil, new: nil)
                }
                unsafe Delivery.run(
                    to: audience, object: object, open: open, elements: nil, isPrior: false, old: nil, new: nil)
                open.end()
            }
        }
        let list = OpenChanges.makeOfThisThread()
        if let old = unsafe AnyValue.empty(&change.pointee.old) { list.keep(old) }
        if let new = unsafe AnyValue.empty(&change.pointee.new) { list.keep(new) }
    }
}
