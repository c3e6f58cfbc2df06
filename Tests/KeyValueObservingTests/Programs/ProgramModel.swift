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

    /// An observer.
    final class Member {
        let registration: ProgramRegistration
        let subject: ProgramSubject
        /// Its place in the order of all registrations.
        let number: Int
        let path: Path
        let runner: Runner
        /// The object that is given the number, if it is one of a binding.
        let bound: Int?
        /// The value last delivered to it, or read when it was registered (P1).
        var told: ProgramEvent.Value
        var hasEnded = false

        init(
            _ registration: ProgramRegistration, _ subject: ProgramSubject, _ number: Int, _ path: Path,
            _ runner: Runner, _ bound: Int?, told: ProgramEvent.Value
        ) {
            self.registration = registration
            self.subject = subject
            self.bound = bound
            self.number = number
            self.path = path
            self.runner = runner
            self.told = told
        }
    }

    /// What runs once at a time: the handler of a registration or of a list, or a binding.
    final class Runner {
        var isRunning = false
        /// The deliveries that wait until it has returned.
        var waiting: [Call] = []
    }

    /// A property or an evaluated subject, with its observers.
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

        init(_ source: Source, isDirect: Bool) {
            self.source = source
            self.isDirect = isDirect
        }

        /// Whether a change of a property concerns it.
        func isConcerned(by property: Source) -> Bool {
            dependencies.contains(property) || source == property
        }
    }

    /// The index of the object whose getters are overridden.
    let shifted: Int
    var objects: [Object]
    /// Of each, what is observed or was announced.
    private(set) var paths: [Source: Path] = [:]
    private var members: [Int: [Member]] = [:]
    private(set) var newestNumber = 0

    /// What is to be delivered, in order.
    private var events: [ProgramEvent] = []
    private var actions = ProgramActions()
    /// The deliveries under way, outermost first.
    var underWay: [[Call]] = []
    /// The brackets that are open (P3).
    var open: [Source: Bracket] = [:]
    var transaction: Transaction?
    /// How many changes of the property that notifies manually are announced, with or without observers.
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

    /// Whether no change is open, so that all observers received the values that they can read.
    var isQuiet: Bool { open.isEmpty }

    /// The paths whose last evaluation is not what can be read, once no change is open.
    var unread: [Source] {
        guard isQuiet else { return [] }
        return paths.values.filter { !$0.isDirect && !$0.isStale && $0.value != value(of: $0.source) }.map(\.source)
    }

    // MARK: Registrations

    func observe(_ registration: ProgramRegistration) {
        let runner = Runner()
        for subject in [registration.subject] + registration.others { observe(registration, subject, runner) }
    }

    private func observe(
        _ registration: ProgramRegistration, _ subject: ProgramSubject, _ runner: Runner, boundTo bound: Int? = nil
    ) {
        let source = Source(
            object: registration.object, property: subject.target,
            registration: subject == .expression ? registration.id : 0)
        let path = paths[source] ?? Path(source, isDirect: isDirect(source))
        newestNumber += 1
        let isRead = transaction != nil || registration.options.contains(.old)
        // It may lead to other objects now: after a silent set, in a transaction, or in an open change.
        if paths.updateValue(path, forKey: source) == nil || isRead { evaluate(path) }
        let member = Member(registration, subject, newestNumber, path, runner, bound, told: value(of: source))
        members[registration.id, default: []].append(member)
        path.members.append(member)
        guard registration.options.contains(.initial) else { return }
        let new = registration.options.contains(.new) ? member.told : nil
        append(ProgramEvent(registration: registration.id, subject: subject, kind: .setting, new: new))
    }

    /// Binds the numbers of two objects to each other (13.2).
    private func bind(_ id: Int, _ left: Int, _ right: Int) {
        let runner = Runner()
        for (object, other) in [(left, right), (right, left)] {
            observe(
                ProgramRegistration(id: id, object: object, subject: .number, options: [], action: nil), .number,
                runner, boundTo: other)
        }
        // It cannot be ended before its token exists.
        let both = members.removeValue(forKey: id)
        pass(from: left, to: right)
        members[id] = both
    }

    private func pass(from object: Int, to other: Int) {
        let number = objects[object].number
        if objects[other].number != number { set(.number, of: other) { $0.number = number } }
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
        for member in members.removeValue(forKey: id) ?? [] {
            member.hasEnded = true
            member.path.members.removeAll { $0 === member }
            if member.path.members.isEmpty { paths[member.path.source] = nil }
        }
    }

    private func append(_ event: ProgramEvent) { if event.registration > 0 { events.append(event) } }

    // MARK: Notifying

    /// Notifies an observer: now, or once its handler has returned (3.4).
    func notify(_ call: Call) {
        let runner = call.member.runner
        runner.waiting.append(call)
        if runner.isRunning { return }
        runner.isRunning = true
        while !runner.waiting.isEmpty { tell(runner.waiting.removeFirst()) }
        runner.isRunning = false
    }

    /// Notifies an observer, if it is still registered, and does what its handler does.
    private func tell(_ call: Call) {
        let (member, registration) = (call.member, call.member.registration)
        guard !member.hasEnded else { return }
        if let other = member.bound { return pass(from: registration.object, to: other) }
        var event = ProgramEvent(
            registration: registration.id, subject: member.subject, isPrior: call.isPrior, kind: .setting,
            old: call.old ?? member.told, new: call.new)
        // Elements that do not fit what an observer has are a setting; that is known for observers that request old
        // values.
        let isKnown = registration.options.contains(.old) && !member.path.isDirect && !call.isPrior
        let elements = call.elements.map { [$0] } ?? call.steps
        if !elements.isEmpty, !isKnown || applying(elements, to: member.told) == call.new {
            if let elements = call.elements {
                (event.kind, event.indexes) = (elements.kind, elements.indexes)
                (event.old, event.new) = (elements.old, elements.new)
            }
            event.steps = call.steps.map { step in
                ProgramEvent(
                    registration: registration.id, subject: member.subject, kind: step.kind, indexes: step.indexes,
                    old: registration.options.contains(.old) ? step.old : nil,
                    new: registration.options.contains(.new) ? step.new : nil)
            }
        }
        if !registration.options.contains(.old) { event.old = nil }
        if !registration.options.contains(.new) || call.isPrior { event.new = nil }
        if let new = call.new, !call.isPrior { member.told = new }
        append(event)
        if let action = actions.next(of: registration, isPrior: call.isPrior) { perform(action) }
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
            end(registration.id)
            observe(registration)
        case .bind(let id, let left, let right):
            bind(id, left, right)
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
        // A handler may have ended the change; then no observer is notified, and no path follows it.
        guard open[source] == nil else { return }
        if source.property != .manual { areReplicasCurrent = false }
        for path in paths.values where path.dependencies.contains(source) { path.isStale = true }
    }
}
