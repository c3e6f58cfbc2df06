// The real objects of a random program, what their observers are told, and copies kept by replaying it.
import KeyValueObserving

final class ProgramObject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let index: Int
    @Observed var number = 0
    @Observed var items: [Int] = []
    @Observed var members: Set<Int> = []
    @Observed var child: ProgramObject?

    var summary: Int { number + items.count + (child?.number ?? 0) }

    init(index: Int) { self.index = index }
}

/// Performs operations on real objects.
final class ProgramWorld {
    private let objects: [ProgramObject]
    private var tokens: [Int: KeyValueObservation] = [:]
    private var spentActions: Set<Int> = []
    private var events: [ProgramEvent] = []
    private let replicas: [ProgramReplica]

    init(objects count: Int) {
        objects = (0..<count).map(ProgramObject.init)
        replicas = objects.map(ProgramReplica.init)
    }

    deinit {
        tokens = [:]
        // Objects may be children of one another.
        for object in objects { object.child = nil }
    }

    var state: [ProgramModel.Object] {
        objects.map {
            ProgramModel.Object(number: $0.number, items: $0.items, members: $0.members, child: $0.child?.index)
        }
    }

    /// Whether replaying what was told gave what the properties are.
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
        case .items(let mutation, let object): mutate(objects[object].$items, mutation)
        case .members(let mutation, let object): mutate(objects[object].$members, mutation)
        case .observe(let registration): observe(registration)
        case .end(let id): tokens[id] = nil
        }
    }

    private func mutate(_ items: ObservedMutableArray<Int>, _ mutation: ItemsMutation) {
        func set(_ positions: [Int]) -> RangeSet<Int> { RangeSet(positions.map { $0..<($0 + 1) }) }
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
        switch registration.subject {
        case .number: observe(registration, \.number) { .number($0) }
        case .items: observe(registration, \.items) { .items($0) }
        case .members: observe(registration, \.members) { .members($0) }
        case .child: observe(registration, \.child) { $0.map { .object($0.index) } ?? .none }
        case .itemCount: observe(registration, \.items.count) { .number($0) }
        case .summary: observe(registration, \.summary) { .number($0) }
        case .childNumber: observe(registration, \.child?.number) { $0.map { .number($0) } ?? .none }
        case .childItems: observe(registration, \.child?.items) { $0.map { .items($0) } ?? .none }
        case .grandchildItems: observe(registration, \.child?.child?.items) { $0.map { .items($0) } ?? .none }
        }
    }

    private func observe<Value>(
        _ registration: ProgramRegistration, _ keyPath: KeyPath<ProgramObject, Value>,
        value: @escaping (Value) -> ProgramEvent.Value
    ) {
        var isInitial = true
        tokens[registration.id] = objects[registration.object].observe(keyPath, options: registration.options) {
            [unowned self] _, change in
            events.append(
                ProgramEvent(
                    registration: registration.id, isPrior: change.isPrior, kind: change.kind,
                    indexes: change.indexes.map { Array($0.ranges.joined()) }, old: change.oldValue.map(value),
                    new: change.newValue.map(value)))
            guard !isInitial, !change.isPrior, let action = registration.action,
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

/// A copy of an object's collections that is kept by replaying changes.
final class ProgramReplica {
    private(set) var items: [Int]
    private(set) var members: Set<Int>
    /// Whether what left was always what was there.
    private(set) var isConsistent = true
    private var tokens: [KeyValueObservation] = []

    init(of object: ProgramObject) {
        items = object.items
        members = object.members
        tokens.append(object.observe(\.items, options: [.old, .new]) { [unowned self] in replay($1) })
        tokens.append(object.observe(\.members, options: [.old, .new]) { [unowned self] in replay($1) })
    }

    private func replay(_ change: KeyValueObservedChange<[Int]>) {
        let positions = change.indexes.map { Array($0.ranges.joined()) } ?? []
        switch change.kind {
        case .setting: items = change.newValue ?? []
        case .insertion:
            for (position, item) in zip(positions, change.newValue ?? []) { items.insert(item, at: position) }
        case .removal:
            isConsistent = isConsistent && change.oldValue == positions.map { items[$0] }
            for position in positions.reversed() { items.remove(at: position) }
        case .replacement:
            isConsistent = isConsistent && change.oldValue == positions.map { items[$0] }
            let new = change.newValue ?? []
            if new.count == positions.count {
                for (position, item) in zip(positions, new) { items[position] = item }
            } else {
                items.replaceSubrange(positions[0]...positions[positions.count - 1], with: new)
            }
        }
    }

    private func replay(_ change: KeyValueObservedChange<Set<Int>>) {
        switch change.kind {
        case .setting: members = change.newValue ?? []
        case .insertion, .removal, .replacement:
            let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
            isConsistent = isConsistent && old.isSubset(of: members) && members.isDisjoint(with: new)
            members = members.subtracting(old).union(new)
        }
    }
}
