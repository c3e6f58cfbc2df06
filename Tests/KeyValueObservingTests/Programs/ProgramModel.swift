// What observers are to get: the objects as plain values, and everything that is registered on them.
import KeyValueObserving

/// Predicts every delivery of a program.
///
/// It knows nothing of key paths, locks and records: what a path depends on is found by reading plain values, and what
/// is delivered follows 3.1–3.6 of the contract.
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
        /// What it got last, or read when it was registered; nil if that need not agree with what comes.
        var last: ProgramEvent.Value?
        /// Whether it was registered while a change was under way of which it is not notified.
        var isExcused = false
        var hasEnded = false

        init(_ registration: ProgramRegistration, _ number: Int, _ path: Path) {
            self.registration = registration
            self.number = number
            self.path = path
        }
    }

    /// What is observed of an object by those who write it in the same way.
    final class Path {
        let source: Source
        /// In the order of their registrations.
        var members: [Member] = []
        /// Whether it is just a stored property of its object.
        let isStored: Bool
        /// What its evaluation read last.
        var dependencies: [Source] = []
        /// The property that it ends at, if all its parts were read one by one.
        var leaf: Source?
        /// How many changes under way concern it.
        var changes = 0
        /// What its observers got last, or the value before the changes under way, if somebody needs that.
        var known: Read?
        /// Whether what is known was not just the value of the property that it ends at.
        var isShared = false
        /// How often its observers were notified.
        var version = 0
        /// Whether a change of its very key path is announced.
        var isAnnounced = false
        var isDeferred = false

        init(_ source: Source, isStored: Bool) {
            self.source = source
            self.isStored = isStored
        }
    }

    let kind: ProgramKind
    /// The index of the object whose getters are overridden.
    let shifted: Int
    var objects: [Object]
    /// The number of the last store of each collection, so that copies can be distinguished from equal values.
    private var stamps: [Source: Int] = [:]
    private var lastStamp = 0

    /// In the order in which they were made, without those that ended.
    private(set) var members: [Member] = []
    private(set) var paths: [Source: Path] = [:]
    private var lastNumber = 0
    var newestNumber: Int { lastNumber }

    /// What is to be delivered, in order.
    private var events: [ProgramEvent] = []
    private var spentActions: Set<Int> = []
    /// The deliveries under way, outermost first.
    var underWay: [Delivery] = []
    /// The changes that have begun and not ended.
    var pending: [Source: Pending] = [:]
    /// The second change of a call of a view of a shared property, until the first one is made; both are stored at once.
    var secondChange: (() -> Void)?
    /// Such changes whose first ones are being delivered.
    private var waiting: [Source: () -> Void] = [:]
    /// How many changes of the property that notifies manually are open, whether or not anybody is notified of them.
    private var openManual: [Int: Int] = [:]
    /// Whether what comes depends on what a model of values does not know: whether two empty arrays are one.
    var isUncertain = false
    /// Whether whoever replays changes has what the properties are: nobody is notified of what is set after a handler has
    /// ended the change.
    private(set) var areReplicasCurrent = true
    /// Where the chain of olds and news of an observer broke.
    private(set) var brokenChains: [String] = []

    init(objects count: Int, _ kind: ProgramKind) {
        self.kind = kind
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
    var isQuiet: Bool { pending.isEmpty }

    // MARK: Registrations

    func observe(_ registration: ProgramRegistration) {
        let source = Source(
            object: registration.object, property: registration.subject,
            registration: registration.subject == .expression ? registration.id : 0)
        let path = paths[source] ?? Path(source, isStored: isStored(source))
        lastNumber += 1
        let member = Member(registration, lastNumber, path)
        members.append(member)
        path.members.append(member)
        if paths.updateValue(path, forKey: source) == nil { evaluate(path) }
        let value = value(of: source)
        member.last = value
        member.isExcused = path.changes > 0 || pending[source] != nil
        guard registration.options.contains(.initial) else { return }
        let new = registration.options.contains(.new) ? value : nil
        append(ProgramEvent(registration: registration.id, subject: registration.subject, kind: .setting, new: new))
    }

    /// Whether the property is simply one that the library stores.
    private func isStored(_ source: Source) -> Bool {
        !kind.announces && source.object != shifted && source.property.isStored
    }

    func end(_ id: Int) {
        guard let index = members.firstIndex(where: { $0.registration.id == id }) else { return }
        let member = members.remove(at: index)
        member.hasEnded = true
        member.path.members.removeAll { $0 === member }
        if member.path.members.isEmpty { paths[member.path.source] = nil }
    }

    private func append(_ event: ProgramEvent) { if event.registration > 0 { events.append(event) } }

    // MARK: Notifying

    /// Notifies an observer, if it is still registered, and does what its handler does.
    func tell(_ call: Delivery.Call) {
        let member = call.member
        guard !member.hasEnded else { return }
        append(call.event)
        check(call)
        let registration = member.registration
        guard let action = registration.action, registration.actsInPrior == call.event.isPrior,
            spentActions.insert(registration.id).inserted
        else { return }
        switch action {
        case .end(let id): end(id)
        case .perform(let operation): perform(operation)
        case .observe(let registration): observe(registration)
        }
    }

    /// Checks that an observer's olds and news are one chain: see 3.5.
    private func check(_ call: Delivery.Call) {
        let member = call.member
        if let last = member.last, call.event.old != nil, !member.isExcused, last != call.old {
            brokenChains.append("\(call.event) after \(last)")
        }
        if !call.event.isPrior { member.last = call.new }
    }

    /// Checks that what everybody got last is what they can read, once no change is open.
    func checkReadable() {
        guard isQuiet else { return }
        for member in members {
            let value = value(of: member.path.source)
            if let last = member.last, !member.isExcused, last != value {
                brokenChains.append("\(member.registration) reads \(value) and got \(last)")
            }
            member.last = value
            member.isExcused = false
        }
    }

    // MARK: Operations

    func perform(_ operation: ProgramOperation) {
        switch operation {
        case .setNumber(let number, let object):
            set(.number, of: object) { $0.number = number }
        case .addToNumber(let step, let object):
            let shown = objects[object].number + objects[object].shift
            set(.number, of: object, inPlace: true) {
                $0.number = self.isReadFirst(object) ? shown + step : $0.number + step
            }
        case .setItems(let items, let object):
            set(.items, of: object) { $0.items = items }
        case .appendInPlace(let item, let object):
            let shown = shownItems(of: object)
            set(.items, of: object, inPlace: true) {
                $0.items = (self.isReadFirst(object) ? shown : $0.items) + [item]
            }
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
        }
    }

    private func set(
        _ property: ProgramSubject, of object: Int, inPlace isInPlace: Bool = false,
        _ apply: @escaping (inout Object) -> Void
    ) {
        // Accessors announce it: those of a subclass, if the class is another module's.
        guard !kind.announces else { return announce(property, of: object, apply) }
        let source = Source(object: object, property: property)
        make(Change(source: source, isInPlace: isInPlace && !isReadFirst(object)) { object, _ in apply(&object) })
    }

    /// Whether an access in place reads the property and then sets it, as it does an overridden one.
    private func isReadFirst(_ object: Int) -> Bool { kind.readsFirst || object == shifted }

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
        noteStore(source)
        // A handler may have ended the change; then nobody is notified, and no path follows it.
        guard pending[source] == nil else { return }
        if source.property != .manual { areReplicasCurrent = false }
        if source.property == .child, !paths(at: source).isEmpty { isUncertain = true }
        for member in members where member.path.dependencies.contains(source) { member.isExcused = true }
    }

    // MARK: Copies

    func noteStore(_ source: Source) {
        lastStamp += 1
        stamps[source] = lastStamp
        if let second = secondChange.take() { waiting[source] = second }
    }

    /// Makes the change that waits for the first one of its call.
    func completeWaiting(of source: Source) { waiting.removeValue(forKey: source)?() }

    func stamp(_ source: Source) -> Int { stamps[source, default: 0] }
}
