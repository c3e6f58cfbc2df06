// Where a path depends on a property.
import Synchronization

/// A path's place among those that are concerned when a property changes.
final class PathHook: Sendable {
    /// A property of an object; the object is named by its table.
    struct Place: Hashable {
        let table: ObservationTable
        let property: PropertyIdentity

        /// Whether it is a property of the object with the table at an address.
        func isOf(_ table: UInt) -> Bool { UInt(bitPattern: ObjectIdentifier(self.table)) == table }

        static func == (left: Self, right: Self) -> Bool {
            left.table === right.table && left.property == right.property
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(table))
            hasher.combine(property)
        }
    }

    let path: ObservedPath
    let place: Place
    private let isRemoved = Atomic(false)

    init(of path: ObservedPath, at place: Place) {
        self.path = path
        self.place = place
    }

    /// Puts the hook on its table, unless it was removed before, on another thread.
    func install(_ facts: PropertyFacts, keyPath: AnyKeyPath?) {
        place.table.add(self, to: place.property, facts, keyPath: keyPath)
        // Whoever removed it before it was there found nothing to take off.
        if isRemoved.load(ordering: .acquiring) { place.table.remove(self, from: place.property) }
    }

    /// Takes the hook off its table, for good.
    func remove() {
        isRemoved.store(true, ordering: .releasing)
        place.table.remove(self, from: place.property)
    }

    /// Tells the table that the path has other registrations now.
    func registrationsChanged() {
        place.table.forgetAudience(of: place.property)
    }
}
