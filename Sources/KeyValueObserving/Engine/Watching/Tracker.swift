// Tracking the observed properties that an evaluation reads.
import CKeyValueObserving

/// Receives the observed properties that its thread reads while it evaluates a key path.
///
/// The getter of every observed property reports to the tracker of its thread, if there is one, before it reads.
@usableFromInline
package class Tracker: @unchecked Sendable {
    // Only its thread uses a tracker, and no access lasts while other code runs.
    /// The properties read while the stack is nearly full, and how often each was read again deeper in the stack.
    @safe @exclusivity(unchecked) private final var deepReads:
        [(table: ObservationTable, property: String, stack: UInt, turns: Int)] = []

    /// How often a property is read again before its getter counts as leading back to itself.
    ///
    /// By then all properties that are part of the cycle have been read.
    private static let mostTurns = 4

    /// Records a property that is about to be read.
    ///
    /// `describe` describes the property, if it is not known.
    func note(
        _ object: any KeyValueObservable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) { preconditionFailure("a subclass takes note") }

    /// Whether a property is the one that the tracker expects next, so that there is nothing to record.
    func isExpected(_ table: UInt, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?) -> Bool { false }

    // MARK: Reports of getters

    /// Reports that an observed property is about to be read.
    @usableFromInline
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        current?.with { tracker in
            let property = PropertyIdentity.ofRead(object, storage: storage(), wrapped: wrapped)
            if tracker.isExpected(object, property) { return }
            tracker.report(object, property, name: PropertyNames.name(ofStorage: storage())) {
                description(of: property, in: object, wrapped(), storage: storage())
            }
        }
    }

    /// Reports that a shared property is about to be read.
    @usableFromInline
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, shared wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        storage: () -> KeyPath<Object, ObservedShared<Value>>
    ) {
        guard let tracker = current?.object else { return }
        let property = PropertyIdentity.ofShared(object, storage: storage())
        if tracker.isExpected(object, property) { return }
        tracker.report(object, property, name: PropertyNames.name(ofStorage: storage())) {
            let storage = storage()
            return description(
                of: property, in: object, wrapped(), storage: storage,
                line: { unsafe unsafeDowncast($0, to: Object.self)[keyPath: storage].storage })
        }
    }

    /// Describes a stored property, and records its name.
    private static func description<Object: KeyValueObservable, Value>(
        of property: PropertyIdentity, in object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>,
        storage: AnyKeyPath, line: ((AnyObject) -> any SharedLine)? = nil
    ) -> PropertyDescription {
        let policy = ClassDeclarations.of(object)
        return policy.description(of: property) {
            PropertyNames.note(keyPath, storage: storage)
            return PropertyDescription(
                keyPath, policy.policy(of: keyPath),
                isNotOverridden: !PropertyOverrides.mayExist(of: keyPath, in: type(of: object), below: Object.self),
                line: line)
        }
    }

    /// Reports that a property that notifies manually is about to be read.
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, manual keyPath: KeyPath<Object, Value>, name: StaticString
    ) {
        guard let tracker = current?.object, !tracker.isExpected(object, .manual, manualKeyPath: keyPath) else {
            return
        }
        tracker.report(object, .manual, manualKeyPath: keyPath, name: nil) {
            PropertyNames.note(keyPath, named: "\(name)")
            return ClassDeclarations.of(object).description(ofManual: keyPath)
        }
    }

    /// Whether there is nothing to record.
    ///
    /// A property is expected once, so that a getter that leads back to itself is recorded from its second turn on.
    @inline(__always)
    private final func isExpected(
        _ object: some KeyValueObservable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath? = nil
    ) -> Bool {
        isExpected(object.keyValueRegistrar.tableAddress, property, manualKeyPath: manualKeyPath)
    }

    private final func report<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath? = nil,
        name: @autoclosure () -> String?, _ describe: () -> PropertyDescription
    ) {
        if ThisThread.stackIsNearlyFull {
            let name = name() ?? manualKeyPath.map { PropertyNames.text(of: $0) } ?? "a property"
            noteDeepRead(of: object.keyValueRegistrar.table(), name, type(of: object))
        }
        note(object, property, manualKeyPath: manualKeyPath, describe)
    }

    /// Traps if the same property is read repeatedly while the stack is nearly full.
    ///
    /// Its getter then leads back to itself. Recursion over distinct objects reads distinct properties.
    private final func noteDeepRead(of table: ObservationTable, _ property: String, _ type: Any.Type) {
        let property = "\(TypeName.text(of: type)).\(property)"
        let stack = ThisThread.stackPointer
        guard let index = deepReads.firstIndex(where: { $0.table === table && $0.property == property }) else {
            deepReads.append((table, property, stack, 0))
            return
        }
        // A loop reads a property again at the same depth.
        guard stack < deepReads[index].stack else { return }
        deepReads[index].stack = stack
        deepReads[index].turns += 1
        guard deepReads[index].turns == Self.mostTurns else { return }
        let names = Set(deepReads.map(\.property)).sorted().prefix(16).joined(separator: ", ")
        let (fileID, line) = (self as? PropertyFinder)?.site ?? (#fileID, #line)
        fatalError(
            """
            A dependency cycle: a getter leads back to itself, and reads \(names) each time. Break the cycle of computed \
            properties.
            """, file: fileID, line: line)
    }

    // MARK: The tracker of a thread

    /// Runs `body` with this tracker listening.
    final func tracking<Result>(_ body: () -> Result) -> Result { Tracking.passed(to: self, body) }

    /// The tracker of this thread, which its `tracking` holds.
    private static var current: Unretained<Tracker>? { Unretained(at: UInt(bitPattern: unsafe kvo_tracker())) }
}

/// Finds the properties that one reading of a key path touches.
final class PropertyFinder: Tracker, @unchecked Sendable {
    private let root: AnyObject
    /// The line that registers, as far as it is known.
    fileprivate let site: (fileID: StaticString, line: UInt)
    // Only the evaluating thread uses the tracker, and no access lasts while other code runs.
    @safe @exclusivity(unchecked) private(set) var first: Property?
    @safe @exclusivity(unchecked) private var isSingle = true

    /// A property of the root.
    struct Property {
        let object: any KeyValueObservable
        let property: PropertyIdentity
        let manualName: KeyPathName?
        let description: PropertyDescription
    }

    init(root: AnyObject, _ site: (fileID: StaticString, line: UInt) = (#fileID, #line)) {
        self.root = root
        self.site = site
    }

    /// Whether anything observable was read.
    var hasRead: Bool { first != nil }

    /// The property of the root that was read, if it is the only one.
    var single: Property? { isSingle && first?.object === root ? first : nil }

    /// The source of the root's property that a key path names, if reading the key path touched only this property.
    ///
    /// If a subclass's getter may return another value, there is none, and the key path is evaluated.
    func source(at name: KeyPathName) -> Source? {
        guard let single, single.description.policy.dependencies.isEmpty else { return nil }
        let table = single.object.observationTable
        if let manual = single.manualName {
            return manual.isSame(as: name)
                ? table.storedSource(at: name) ?? table.manualSource(at: name) { single.description }
                : nil
        }
        guard single.description.isNotOverridden, single.description.name.isSame(as: name) else { return nil }
        return table.source(of: single.property) { single.description }
    }

    override func note(
        _ object: any KeyValueObservable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        let name = manualKeyPath.map(KeyPathName.init)
        guard let first = first else {
            let description = Tracking.suspended(describe)
            self.first = Property(
                object: object, property: property, manualName: name, description: description)
            return
        }
        // All manual properties have one identity; their names distinguish them.
        let isSame =
            first.object === object && first.property == property
            && (name.flatMap { first.manualName?.isSame(as: $0) } ?? true)
        if !isSame { isSingle = false }
    }
}
