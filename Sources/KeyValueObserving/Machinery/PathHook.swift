// Where a path depends on a property.

/// A path's place among those that are concerned when a property changes.
final class PathHook: Sendable {
    /// A property of an object; the object is named by its table.
    struct Place: Hashable {
        let table: ObservationTable
        let property: PropertyIdentity

        static func == (left: Self, right: Self) -> Bool {
            left.table === right.table && left.property == right.property
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(table))
            hasher.combine(property)
        }
    }

    let path: ObservedPath
    private let place: Place

    init(of path: ObservedPath, at place: Place) {
        self.path = path
        self.place = place
    }

    /// Puts the hook on its table.
    func install(_ facts: PropertyFacts, keyPath: AnyKeyPath) {
        place.table.add(self, to: place.property, facts, keyPath: keyPath)
    }

    /// Takes the hook off its table.
    func remove() {
        place.table.remove(self, from: place.property)
    }

    /// Tells the table that the path has other registrations now.
    func registrationsChanged() {
        place.table.forgetAudience(of: place.property)
    }
}
