// What observers are to get: the objects as plain values, and everything that is registered on them.
import KeyValueObserving

/// Predicts every delivery of a program from the five principles of the contract.
///
/// It knows nothing of key paths, locks and records: what a path depends on is found by reading plain values.
final class ProgramModel {
    struct Object: Equatable {
        var number = 0
        var items: [Int] = []
        var members: Set<Int> = []
        var child: Int?
        var manual = 0
        /// What the overriding getters of a shifted object add.
        var shift = 0
    }

    /// A property of an object; one whose change is announced may be computed.
    struct Source: Hashable {
        let object: Int
        let property: ProgramSubject
        /// Whose expression it is, if it is one.
        var registration = 0
    }

    /// Somebody who observes.
    final class Member {
        let registration: ProgramRegistration
        /// Its place in the order of all registrations.
        let number: Int
        let path: Path
        /// What it was told last, or read when it was registered (P1).
        var told: ProgramEvent.Value
        /// Whether a change passed it over since, which began before it was registered.
        var isPassed = false
        var hasEnded = false

        init(_ registration: ProgramRegistration, _ number: Int, _ path: Path, told: ProgramEvent.Value) {
            self.registration = registration
            self.number = number
            self.path = path
            self.told = told
        }
    }

    /// A property, or what is evaluated, with everybody who observes it.
    final class Path {
        let source: Source
        /// In the order of their registrations.
        var members: [Member] = []
        /// Whether it is just a property, which gives its observers the values that it replaces.
        let isDirect: Bool
        /// What its evaluation read last.
        var dependencies: [Source] = []
        /// The value that it had then.
        var value = ProgramEvent.Value.none
        /// Whether something that it depends on was changed silently since.
        var isStale = false
        /// Whether a change of its very key path is announced, so that it is evaluated when that closes (P4).
        var isHeld = false
        /// The newest registration that the changes concern which found it held; 0 if there are none.
        var dirty = 0

        init(_ source: Source, isDirect: Bool) {
            self.source = source
            self.isDirect = isDirect
        }

        /// Notes that a change passes those over who registered after it began.
        func pass(after newest: Int) { for member in members where member.number > newest { member.isPassed = true } }
    }

    /// The index of the object whose getters are overridden.
    let shifted: Int
    var objects: [Object]
    /// Of each, what is observed or was announced.
    private(set) var paths: [Source: Path] = [:]
    private var members: [Int: Member] = [:]
    private(set) var newestNumber = 0

    /// What is to be delivered, in order.
    private var events: [ProgramEvent] = []
    private var spentActions: Set<Int> = []
    /// The deliveries under way, outermost first.
    var underWay: [Delivery] = []
    /// The brackets that are open (P3).
    var open: [Source: Bracket] = [:]
    var transaction: Transaction?
    /// How many changes of the property that notifies manually are announced, whether or not anybody observes it.
    private var openManual: [Int: Int] = [:]
    /// Whether whoever replays changes has what the properties are: nobody is notified of what is set after a handler has
    /// ended the change.
    private(set) var areReplicasCurrent = true

    init(objects count: Int) {
        objects = Array(repeating: Object(), count: count)
        shifted = count - 1
        // The replicas of `ProgramWorld`.
        for object in 0..<count {
            for (index, subject) in [ProgramSubject.items, .members].enumerated() {
                observe(
                    ProgramRegistration(
                        id: -1 - object * 2 - index, object: object, subject: subject, options: [.old, .new],
                        action: nil))
            }
        }
    }

    deinit {
        // A path and its members know one another.
        for path in paths.values { path.members = [] }
    }

    func takeEvents() -> [ProgramEvent] {
        defer { events = [] }
        return events
    }

    /// Whether no change is open, so that everybody got what they can read.
    var isQuiet: Bool { open.isEmpty }

    /// The paths whose last evaluation is not what can be read, once no change is open.
    var unread: [Source] {
        guard isQuiet else { return [] }
        return paths.values.filter { !$0.isDirect && !$0.isStale && $0.value != value(of: $0.source) }.map(\.source)
    }

    // MARK: Registrations

    func observe(_ registration: ProgramRegistration) {
        let source = Source(
            object: registration.object, property: registration.subject.target,
            registration: registration.subject == .expression ? registration.id : 0)
        let path = paths[source] ?? Path(source, isDirect: isDirect(source))
        newestNumber += 1
        // A transaction may have led it elsewhere.
        if paths.updateValue(path, forKey: source) == nil || transaction != nil && !path.isHeld { evaluate(path) }
        let member = Member(registration, newestNumber, path, told: value(of: source))
        members[registration.id] = member
        path.members.append(member)
        // What was led elsewhere meanwhile is told when it is evaluated.
        if path.dirty > 0 { path.dirty = newestNumber }
        guard registration.options.contains(.initial) else { return }
        let new = registration.options.contains(.new) ? member.told : nil
        append(ProgramEvent(registration: registration.id, subject: registration.subject, kind: .setting, new: new))
    }

    /// Whether the property is one that the library stores or that notifies manually, and nothing overrides it.
    private func isDirect(_ source: Source) -> Bool {
        source.property.isProperty
            && (source.object != shifted || ![.number, .items].contains(source.property))
    }

    /// The property that a path ends at, if it gives it its values without being evaluated: each of its parts was read by
    /// itself, and the last one is stored.
    func leaf(of path: Path) -> Source? {
        guard path.dependencies.count == path.source.property.parts, let last = path.dependencies.last,
            last.object != shifted || last.property == .manual, last.property.isProperty
        else { return nil }
        return last
    }

    func end(_ id: Int) {
        guard let member = members.removeValue(forKey: id) else { return }
        member.hasEnded = true
        member.path.members.removeAll { $0 === member }
        if member.path.members.isEmpty { paths[member.path.source] = nil }
    }

    private func append(_ event: ProgramEvent) { if event.registration > 0 { events.append(event) } }

    // MARK: Notifying

    /// Notifies an observer, if it is still registered, and does what its handler does.
    func tell(_ call: Delivery.Call) {
        let (member, registration) = (call.member, call.member.registration)
        guard !member.hasEnded else { return }
        var event = ProgramEvent(
            registration: registration.id, subject: registration.subject, isPrior: call.isPrior, kind: .setting,
            old: call.old ?? member.told, new: call.new)
        // Who missed a change could not replay the elements; that is known of those who ask for old values.
        let isKnown = registration.options.contains(.old) && !member.path.isDirect && !call.isPrior
        if let elements = call.elements, !isKnown || !member.isPassed {
            (event.kind, event.indexes) = (elements.kind, elements.indexes)
            (event.old, event.new) = (elements.old, elements.new)
        }
        if !registration.options.contains(.old) { event.old = nil }
        if !registration.options.contains(.new) || call.isPrior { event.new = nil }
        if let new = call.new, !call.isPrior { (member.told, member.isPassed) = (new, false) }
        append(event)
        guard let action = registration.action, registration.actsInPrior == call.isPrior,
            spentActions.insert(registration.id).inserted
        else { return }
        switch action {
        case .end(let id): end(id)
        case .perform(let operation): perform(operation)
        case .observe(let registration): observe(registration)
        }
    }

    // MARK: Operations

    func perform(_ operation: ProgramOperation) {
        switch operation {
        case .setNumber(let number, let object):
            set(.number, of: object) { $0.number = number }
        case .addToNumber(let step, let object):
            let shown = objects[object].number + objects[object].shift
            set(.number, of: object) { $0.number = (object == self.shifted ? shown : $0.number) + step }
        case .setItems(let items, let object):
            set(.items, of: object) { $0.items = items }
        case .appendInPlace(let item, let object):
            let shown = shownItems(of: object)
            set(.items, of: object) { $0.items = (object == self.shifted ? shown : $0.items) + [item] }
        case .setMembers(let members, let object):
            set(.members, of: object) { $0.members = members }
        case .setChild(let child, let object):
            set(.child, of: object) { $0.child = child }
        case .setShift(let shift):
            set(.shift, of: shifted) { $0.shift = shift }
        case .setManual(let number, let object):
            announce(.manual, of: object) { $0.manual = number }
        case .writeManual(let number, let object):
            guard openManual[object, default: 0] > 0 else { return }
            write(Source(object: object, property: .manual)) { $0.manual = number }
        case .will(let subject, let object):
            if subject == .manual { openManual[object, default: 0] += 1 }
            will(Source(object: object, property: subject))
        case .did(let subject, let object):
            if subject == .manual { openManual[object] = max(0, openManual[object, default: 0] - 1) }
            did(Source(object: object, property: subject))
        case .items(let mutation, let object):
            mutateItems(mutation, of: object)
        case .members(let mutation, let object):
            mutateMembers(mutation, of: object)
        case .observe(let registration):
            observe(registration)
        case .end(let id):
            end(id)
        case .transaction(let operations):
            perform(inTransaction: operations)
        }
    }

    private func set(_ property: ProgramSubject, of object: Int, _ apply: (inout Object) -> Void) {
        if ProgramObject.announces { return announce(property, of: object, apply) }
        change(Source(object: object, property: property), apply: apply)
    }

    /// Sets a property that announces its changes.
    private func announce(_ property: ProgramSubject, of object: Int, _ apply: (inout Object) -> Void) {
        let source = Source(object: object, property: property)
        will(source)
        write(source, apply)
        did(source)
    }

    /// Writes what is behind a property that notifies manually.
    private func write(_ source: Source, _ apply: (inout Object) -> Void) {
        apply(&objects[source.object])
        // A handler may have ended the change; then nobody is notified, and no path follows it.
        guard open[source] == nil else { return }
        if source.property != .manual { areReplicasCurrent = false }
        for path in paths.values where path.dependencies.contains(source) { path.isStale = true }
    }
}
