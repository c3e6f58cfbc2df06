// Where a path depends on a property.
import Synchronization

/// A path's place among those that are concerned when a property changes.
///
/// A hook that was taken off its table can be put on another one, by whoever alone has it.
@safe final class PathHook: @unchecked Sendable {
    /// A property of an object; the object is named by its table.
    struct Place: Hashable {
        var table: ObservationTable
        let property: PropertyIdentity

        /// Whether it is a property of the object with the table at an address.
        func isOf(_ table: UInt) -> Bool { UInt(bitPattern: ObjectIdentifier(self.table)) == table }

        /// What tells it from others as long as the table lives.
        var key: PlaceKey { PlaceKey(table, property) }

        static func == (left: Self, right: Self) -> Bool {
            left.table === right.table && left.property == right.property
        }

        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    /// A place without a reference to the table.
    struct PlaceKey: Hashable {
        let table: ObjectIdentifier
        let property: PropertyIdentity

        init(_ table: ObservationTable, _ property: PropertyIdentity) {
            self.table = ObjectIdentifier(table)
            self.property = property
        }
    }

    let path: ObservedPath
    // Both are changed only while one thread alone has the hook, which counting its references makes sure of. They are
    // atomic for the thread sanitizer, which does not see that.
    /// The address of the table, retained, or 0.
    private let tableAddress = Atomic<UInt>(0)
    private let propertyIdentity = Atomic<UInt>(0)
    private let isRemoved = Atomic(false)

    init(of path: ObservedPath) {
        self.path = path
    }

    deinit {
        unsafe forgetPlace()?.release()
    }

    /// Names the property where a hook that has none is to be installed; to be called by whoever alone has the hook.
    func move(to table: ObservationTable, _ property: PropertyIdentity) {
        tableAddress.store(
            unsafe UInt(bitPattern: Unmanaged.passRetained(table).toOpaque()), ordering: .relaxed)
        propertyIdentity.store(property.rawValue, ordering: .relaxed)
        isRemoved.store(false, ordering: .relaxed)
    }

    /// Forgets the property; to be called by whoever alone has the hook.
    ///
    /// - Returns: The table, which is to be released.
    func forgetPlace() -> Unmanaged<ObservationTable>? {
        defer { tableAddress.store(0, ordering: .relaxed) }
        return unsafe table
    }

    /// Whether it is at a property.
    func isAt(_ key: PlaceKey) -> Bool { withTable { PlaceKey($0, property) == key } ?? false }

    /// Puts the hook on its table, unless it was removed before, on another thread.
    ///
    /// - Parameter shape: Tells what the table may have to know of the property.
    func install(_ shape: () -> ReadShape) {
        withTable { table in
            table.add(self, to: property, shape)
            // Whoever removed it before it was there found nothing to take off.
            if isRemoved.load(ordering: .acquiring) { table.remove(self, from: property) }
        }
    }

    /// Takes the hook off its table.
    func remove() {
        isRemoved.store(true, ordering: .releasing)
        withTable { $0.remove(self, from: property) }
    }

    /// Tells the table that the path has other registrations now.
    func registrationsChanged() {
        withTable { $0.forgetAudience(of: property) }
    }

    private var table: Unmanaged<ObservationTable>? {
        unsafe UnsafeRawPointer(bitPattern: tableAddress.load(ordering: .relaxed)).map { unsafe .fromOpaque($0) }
    }

    private var property: PropertyIdentity { PropertyIdentity(rawValue: propertyIdentity.load(ordering: .relaxed)) }

    @inline(__always) @discardableResult
    private func withTable<Result>(_ body: (ObservationTable) -> Result) -> Result? {
        unsafe table?._withUnsafeGuaranteedRef(body)
    }
}
