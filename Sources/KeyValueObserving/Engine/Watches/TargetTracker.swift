// Finding out what a key path names, by reading it once.

/// Notes what one reading of a key path touches.
final class TargetTracker: Tracker, @unchecked Sendable {
    private let root: AnyObject
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private var first: Property?
    @safe @exclusivity(unchecked) private var isSingle = true

    /// A property of the root.
    struct Property {
        let object: AnyObject
        let table: ObservationTable
        let property: PropertyIdentity
        let manualName: KeyPathName?
        let description: PropertyDescription
    }

    init(root: AnyObject) {
        self.root = root
    }

    /// Whether anything observable was read.
    var hasRead: Bool { first != nil }

    /// The property of the root that was read, if that is all that was.
    var single: Property? { isSingle && first?.object === root ? first : nil }

    /// The source of the property of the root that a key path names, if reading it touched that and nothing else.
    ///
    /// The getter of a subclass that may show something else is evaluated.
    func source(at name: KeyPathName) -> Source? {
        guard let single, single.description.policy.dependencies.isEmpty else { return nil }
        if let manual = single.manualName {
            return manual.isSame(as: name)
                ? single.table.storedSource(at: name) ?? single.table.manualSource(at: name) { single.description }
                : nil
        }
        guard single.description.isExact, single.description.name.isSame(as: name) else { return nil }
        return single.table.source(of: single.property) { single.description }
    }

    override func note(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        let name = manualKeyPath.map(KeyPathName.init)
        guard let first = first else {
            let description = Tracking.suspended(describe)
            self.first = Property(
                object: object, table: table, property: property, manualName: name, description: description)
            return
        }
        // All manual properties have one identity; their names distinguish them.
        let isSame =
            first.object === object && first.property == property
            && (name.flatMap { first.manualName?.isSame(as: $0) } ?? true)
        if !isSame { isSingle = false }
    }
}
