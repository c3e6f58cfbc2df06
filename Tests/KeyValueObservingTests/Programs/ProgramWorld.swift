// The real objects of a random program, and what their observers get.
import KeyValueObserving

/// Performs operations on real objects.
final class ProgramWorld {
    private let objects = ProgramObjects(count: 3)
    /// How many changes of the property that notifies manually are announced.
    private var openManual: [Int: Int] = [:]
    /// All changes that were announced, ended or not.
    private var announced: [(subject: ProgramSubject, object: Int)] = []
    private var tokens: [Int: KeyValueObservation] = [:]
    private var actions = ProgramActions()
    private var events: [ProgramEvent] = []
    private let replicas: [ProgramReplica]

    init() { replicas = objects.replicas }

    deinit {
        tokens = [:]
        // Objects may be children of one another, and a change that has not ended keeps the old value.
        for (subject, object) in announced { announce(subject, of: object, isWill: false) }
        objects.clear()
    }

    var state: [ProgramModel.Object] { objects.states }

    /// Whether replaying what was delivered gave what the properties are.
    var isReplayed: Bool { replicas.allSatisfy(\.isCurrent) }

    func takeEvents() -> [ProgramEvent] {
        defer { events = [] }
        return events
    }

    func perform(_ operation: ProgramOperation) {
        switch operation {
        case .writeManual(_, let object):
            if openManual[object, default: 0] > 0 { objects.perform(operation) }
        case .will(let subject, let object):
            announced.append((subject, object))
            announce(subject, of: object, isWill: true)
        case .did(let subject, let object): announce(subject, of: object, isWill: false)
        case .observe(let registration):
            tokens[registration.id] = nil
            observe(registration)
        case .bind(let id, let left, let right): tokens[id] = objects.bind(left, right)
        case .end(let id): tokens[id] = nil
        case .transaction(let operations): withKeyValueTransaction { operations.forEach(perform) }
        default: objects.perform(operation)
        }
    }

    private func announce(_ subject: ProgramSubject, of object: Int, isWill: Bool) {
        if subject == .manual { openManual[object] = max(0, openManual[object, default: 0] + (isWill ? 1 : -1)) }
        objects.visit(subject.target, of: object, Announcement(isWill: isWill))
    }

    private struct Announcement: ProgramVisitor {
        let isWill: Bool

        func visit<Object: KeyValueObservable, Value>(
            _ object: Object, _ keyPath: KeyPath<Object, Value>, _ value: @escaping (Value) -> ProgramEvent.Value
        ) {
            if isWill { object.willChangeValue(for: keyPath) } else { object.didChangeValue(for: keyPath) }
        }
    }

    // MARK: Observing

    private struct Registering: ProgramVisitor {
        let world: ProgramWorld
        let registration: ProgramRegistration

        func visit<Object: KeyValueObservable, Value>(
            _ object: Object, _ keyPath: KeyPath<Object, Value>, _ value: @escaping (Value) -> ProgramEvent.Value
        ) {
            world.observe(registration, object, keyPath, value: value)
        }
    }

    /// The key paths of a list, and how their values are read.
    private final class List: ProgramVisitor {
        typealias Reading = (subject: ProgramSubject, value: (Any) -> ProgramEvent.Value)

        private(set) var keyPaths: [PartialKeyPath<ProgramObject>] = []
        private(set) var readings: [AnyKeyPath: Reading] = [:]
        var subject = ProgramSubject.number

        func visit<Object: KeyValueObservable, Value>(
            _ object: Object, _ keyPath: KeyPath<Object, Value>, _ value: @escaping (Value) -> ProgramEvent.Value
        ) {
            guard let keyPath = (keyPath as AnyKeyPath) as? PartialKeyPath<ProgramObject> else { return }
            keyPaths.append(keyPath)
            readings[keyPath] = (subject, { ($0 as? Value).map(value) ?? .none })
        }
    }

    private func observe(_ registration: ProgramRegistration) {
        if registration.others.isEmpty {
            return objects.visit(
                registration.subject, of: registration.object, Registering(world: self, registration: registration))
        }
        let list = List()
        for subject in [registration.subject] + registration.others {
            list.subject = subject
            objects.visit(subject, of: registration.object, list)
        }
        var isInitial = true
        tokens[registration.id] = objects.observe(registration.object, list.keyPaths, registration.options) {
            [unowned self] _, change in
            guard let reading = list.readings[change.keyPath] else { return }
            note(change, registration, reading.subject, isInitial: isInitial, reading.value)
        }
        isInitial = false
    }

    private func observe<Object: KeyValueObservable, Value>(
        _ registration: ProgramRegistration, _ object: Object, _ keyPath: KeyPath<Object, Value>,
        value: @escaping (Value) -> ProgramEvent.Value
    ) {
        var isInitial = true
        let handler: (Object, KeyValueObservedChange<Value>) -> Void = { [unowned self] _, change in
            note(change, registration, registration.subject, isInitial: isInitial, value)
        }
        tokens[registration.id] =
            registration.subject == .expression
            ? object.observe(
                reading: { $0[keyPath: keyPath] }, options: registration.options, changeHandler: handler)
            : object.observe(keyPath, options: registration.options, changeHandler: handler)
        isInitial = false
    }

    /// Notes what a handler got, and does what it is to do.
    private func note<Value>(
        _ change: KeyValueObservedChange<Value>, _ registration: ProgramRegistration, _ subject: ProgramSubject,
        isInitial: Bool, _ value: (Value) -> ProgramEvent.Value
    ) {
        func event(_ change: KeyValueObservedChange<Value>) -> ProgramEvent {
            ProgramEvent(
                registration: registration.id, subject: subject, isPrior: change.isPrior, kind: change.kind,
                indexes: change.indexes.map { Array($0.ranges.joined()) }, old: change.oldValue.map(value),
                new: change.newValue.map(value), steps: change.steps.map(event))
        }
        events.append(event(change))
        if !isInitial, let action = actions.next(of: registration, isPrior: change.isPrior) { perform(action) }
    }
}
