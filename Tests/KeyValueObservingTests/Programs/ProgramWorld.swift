// The real objects of a random program, and what their observers get.
import KeyValueObserving

class ProgramObject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let index: Int
    @Observed var number = 0
    @Observed var items: [Int] = []
    @Observed var members: Set<Int> = []
    @Observed var child: ProgramObject?
    private var storedManual = 0

    var manual: Int {
        get {
            accessValue(for: \.manual)
            return storedManual
        }
        set {
            willChangeValue(for: \.manual)
            storedManual = newValue
            didChangeValue(for: \.manual)
        }
    }

    var summary: Int { number + items.count + (child?.number ?? 0) + manual }

    init(index: Int) { self.index = index }

    func writeBehindManual(_ value: Int) { storedManual = value }

    var state: ProgramModel.Object {
        ProgramModel.Object(number: number, items: items, members: members, child: child?.index, manual: manual)
    }
}

/// Overrides getters, which then depend on one more property.
final class ShiftedProgramObject: ProgramObject {
    @Observed var shift = 0

    override var number: Int {
        get { super.number + shift }
        set { super.number = newValue }
    }

    override var items: [Int] {
        get { shift > 0 ? super.items + [shift] : super.items }
        set { super.items = newValue }
    }

    /// What the model stores.
    override var state: ProgramModel.Object {
        var state = super.state
        state.shift = shift
        state.number = super.number
        state.items = super.items
        return state
    }
}

/// Performs operations on real objects.
final class ProgramWorld {
    private let objects: [ProgramObject]
    private let shifted: ShiftedProgramObject
    /// How many changes of the property that notifies manually are announced.
    private var openManual: [Int: Int] = [:]
    /// All changes that were announced, ended or not.
    private var announced: [(subject: ProgramSubject, object: Int)] = []
    private var tokens: [Int: KeyValueObservation] = [:]
    private var spentActions: Set<Int> = []
    private var events: [ProgramEvent] = []
    private let replicas: [ProgramReplica]
    let listeners: ProgramListeners?

    /// - Parameters:
    ///   - count: How many objects there are.
    ///   - isHeardElsewhere: Whether actors and sequences listen, too.
    init(objects count: Int, heardElsewhere isHeardElsewhere: Bool) {
        shifted = ShiftedProgramObject(index: count - 1)
        objects = (0..<(count - 1)).map(ProgramObject.init) + [shifted]
        replicas = objects.map(ProgramReplica.init)
        listeners = isHeardElsewhere ? ProgramListeners(of: objects) : nil
    }

    deinit {
        tokens = [:]
        // Objects may be children of one another, and a change that has not ended keeps the old value.
        for (subject, object) in announced { announce(subject, of: object, isWill: false) }
        for object in objects { object.child = nil }
    }

    var state: [ProgramModel.Object] { objects.map(\.state) }

    /// Whether replaying what was delivered gave what the properties are.
    var isReplayed: Bool {
        zip(objects, replicas).allSatisfy { $0.items == $1.items && $0.members == $1.members && $1.isConsistent }
    }

    func takeEvents() -> [ProgramEvent] {
        defer { events = [] }
        return events
    }

    func perform(_ operation: ProgramOperation) {
        switch operation {
        case .setNumber(let number, let object): objects[object].number = number
        case .addToNumber(let step, let object): objects[object].number += step
        case .setItems(let items, let object): objects[object].items = items
        case .appendInPlace(let item, let object): objects[object].items.append(item)
        case .setMembers(let members, let object): objects[object].members = members
        case .setChild(let child, let object): objects[object].child = child.map { objects[$0] }
        case .setShift(let shift): shifted.shift = shift
        case .setManual(let number, let object): objects[object].manual = number
        case .writeManual(let number, let object):
            if openManual[object, default: 0] > 0 { objects[object].writeBehindManual(number) }
        case .will(let subject, let object):
            announced.append((subject, object))
            announce(subject, of: object, isWill: true)
        case .did(let subject, let object): announce(subject, of: object, isWill: false)
        case .items(let mutation, let object): mutate(objects[object].mutable(\.items), mutation)
        case .members(let mutation, let object): mutate(objects[object].mutable(\.members), mutation)
        case .observe(let registration): observe(registration)
        case .end(let id): tokens[id] = nil
        }
    }

    private func announce(_ subject: ProgramSubject, of object: Int, isWill: Bool) {
        func announce<Object: KeyValueObservable>(_ object: Object, _ keyPath: KeyPath<Object, some Any>) {
            if isWill { object.willChangeValue(for: keyPath) } else { object.didChangeValue(for: keyPath) }
        }
        if subject == .manual { openManual[object] = max(0, openManual[object, default: 0] + (isWill ? 1 : -1)) }
        let object = objects[object]
        switch subject {
        case .number, .numberOfSubclass: announce(object, \.number)
        case .items, .itemsOfSubclass: announce(object, \.items)
        case .members: announce(object, \.members)
        case .child: announce(object, \.child)
        case .manual: announce(object, \.manual)
        case .shift: announce(shifted, \.shift)
        case .itemCount: announce(object, \.items.count)
        case .summary: announce(object, \.summary)
        case .childNumber: announce(object, \.child?.number)
        case .childManual: announce(object, \.child?.manual)
        case .childItems: announce(object, \.child?.items)
        case .grandchildItems: announce(object, \.child?.child?.items)
        }
    }

    private func mutate(_ items: ObservedMutableArray<Int>, _ mutation: ItemsMutation) {
        func set(_ positions: [Int]) -> RangeSet<Int> { RangeSet(positions.map { $0..<($0 + 1) }) }
        guard mutation.isPossible(with: items.count) else { return }
        switch mutation {
        case .append(let new): if new.count == 1 { items.append(new[0]) } else { items.append(contentsOf: new) }
        case .insert(let new, let positions): items.insert(contentsOf: new, at: set(positions))
        case .remove(let positions): items.remove(at: set(positions))
        case .replace(let positions, let new): items.replace(at: set(positions), with: new)
        case .replaceSubrange(let range, let new): items.replaceSubrange(range, with: new)
        case .move(let positions, let destination): items.move(at: set(positions), to: destination)
        case .swap(let first, let second): items.swapAt(first, second)
        case .sort: items.sort()
        case .reverse: items.reverse()
        case .removeAll: items.removeAll()
        case .removeMultiples(let divisor): items.removeAll { $0.isMultiple(of: divisor) }
        }
    }

    private func mutate(_ members: ObservedMutableSet<Int>, _ mutation: MembersMutation) {
        switch mutation {
        case .insert(let member): members.insert(member)
        case .remove(let member): members.remove(member)
        case .formUnion(let other): members.formUnion(other)
        case .subtract(let other): members.subtract(other)
        case .formIntersection(let other): members.formIntersection(other)
        case .formSymmetricDifference(let other): members.formSymmetricDifference(other)
        case .set(let other): members.set(other)
        case .removeAll: members.removeAll()
        }
    }

    // MARK: Observing

    private func observe(_ registration: ProgramRegistration) {
        let object = objects[registration.object]
        func number(_ value: Int) -> ProgramEvent.Value { .number(value) }
        func items(_ value: [Int]) -> ProgramEvent.Value { .items(value) }
        switch registration.subject {
        case .number: observe(registration, object, \.number, value: number)
        case .items: observe(registration, object, \.items, value: items)
        case .members: observe(registration, object, \.members) { .members($0) }
        case .child: observe(registration, object, \.child) { $0.map { .object($0.index) } ?? .none }
        case .manual: observe(registration, object, \.manual, value: number)
        case .shift: observe(registration, shifted, \.shift, value: number)
        case .itemCount: observe(registration, object, \.items.count, value: number)
        case .summary: observe(registration, object, \.summary, value: number)
        case .childNumber: observe(registration, object, \.child?.number) { $0.map(number) ?? .none }
        case .childManual: observe(registration, object, \.child?.manual) { $0.map(number) ?? .none }
        case .childItems: observe(registration, object, \.child?.items) { $0.map(items) ?? .none }
        case .grandchildItems: observe(registration, object, \.child?.child?.items) { $0.map(items) ?? .none }
        case .numberOfSubclass: observe(registration, shifted, \.number, value: number)
        case .itemsOfSubclass: observe(registration, shifted, \.items, value: items)
        }
    }

    private func observe<Object: KeyValueObservable, Value>(
        _ registration: ProgramRegistration, _ object: Object, _ keyPath: KeyPath<Object, Value>,
        value: @escaping (Value) -> ProgramEvent.Value
    ) {
        var isInitial = true
        tokens[registration.id] = object.observe(keyPath, options: registration.options) {
            [unowned self] _, change in
            events.append(
                ProgramEvent(
                    registration: registration.id, subject: registration.subject, isPrior: change.isPrior,
                    kind: change.kind,
                    indexes: change.indexes.map { Array($0.ranges.joined()) }, old: change.oldValue.map(value),
                    new: change.newValue.map(value)))
            guard !isInitial, change.isPrior == registration.actsInPrior, let action = registration.action,
                spentActions.insert(registration.id).inserted
            else { return }
            switch action {
            case .end(let id): tokens[id] = nil
            case .perform(let operation): perform(operation)
            case .observe(let registration): observe(registration)
            }
        }
        isInitial = false
    }
}
