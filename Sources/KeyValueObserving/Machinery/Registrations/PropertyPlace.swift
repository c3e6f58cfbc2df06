// A property of an object, as paths know it.

/// A property of an object; the object is named by its table.
struct PropertyPlace: Hashable {
    var table: ObservationTable
    let property: PropertyIdentity

    /// A place without a reference to the table, which tells it from others as long as the table lives.
    struct Key: Hashable {
        let table: ObjectIdentifier
        let property: PropertyIdentity

        init(_ table: ObservationTable, _ property: PropertyIdentity) {
            self.table = ObjectIdentifier(table)
            self.property = property
        }
    }

    var key: Key { Key(table, property) }

    /// Whether it is a property of the object with the table at an address.
    func isOf(_ table: UInt) -> Bool { UInt(bitPattern: ObjectIdentifier(self.table)) == table }

    static func == (left: Self, right: Self) -> Bool {
        left.table === right.table && left.property == right.property
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
