// The objects of a random program, what is done with them, and copies of their collections.
import KeyValueObserving

/// Does something with a key path of an object.
protocol ProgramVisitor {
    func visit<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ value: @escaping (Value) -> ProgramEvent.Value)
}

/// Objects of a program, the last one of a subclass.
struct ProgramObjects {
    private let objects: [ProgramObject]
    private let shifted: ShiftedProgramObject

    init(count: Int) {
        shifted = ShiftedProgramObject(index: count - 1)
        objects = (0..<(count - 1)).map(ProgramObject.init) + [shifted]
    }

    /// Copies of their collections, each with its own observers.
    var replicas: [ProgramReplica] { objects.map(ProgramReplica.init) }

    /// What is stored in them, as the model stores it.
    var states: [ProgramModel.Object] { objects.map(\.state) }

    /// Ends circles of children.
    func clear() { for object in objects { object.child = nil } }

    /// Makes a change of one of them.
    func perform(_ change: ProgramOperation) {
        switch change {
        case .setNumber(let number, let object): objects[object].number = number
        case .addToNumber(let step, let object): objects[object].number += step
        case .setItems(let items, let object): objects[object].items = items
        case .appendInPlace(let item, let object): objects[object].items.append(item)
        case .setMembers(let members, let object): objects[object].members = members
        case .setChild(let child, let object): objects[object].child = child.map { objects[$0] }
        case .setShift(let shift): shifted.shift = shift
        case .setManual(let number, let object): objects[object].manual = number
        case .writeManual(let number, let object): objects[object].writeBehindManual(number)
        case .items(let mutation, let object): mutation.perform(on: objects[object].mutable(\.items))
        case .members(let mutation, let object): mutation.perform(on: objects[object].mutable(\.members))
        case .will, .did, .observe, .bind, .end, .transaction: break
        }
    }

    /// Binds the numbers of two of them to each other.
    func bind(_ left: Int, _ right: Int) -> KeyValueObservation {
        objects[left].bindBothWays(\.number, to: objects[right], \.number)
    }

    /// Observes several key paths of one of them with one handler.
    func observe(
        _ index: Int, _ keyPaths: [PartialKeyPath<ProgramObject>], _ options: KeyValueObservingOptions,
        changeHandler: @escaping (ProgramObject, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        objects[index].observe(keyPaths: keyPaths, options: options, changeHandler: changeHandler)
    }

    /// Gives a visitor the key path of what may be observed of one of them.
    func visit(_ subject: ProgramSubject, of index: Int, _ visitor: some ProgramVisitor) {
        let object = objects[index]
        func number(_ value: Int) -> ProgramEvent.Value { .number(value) }
        func items(_ value: [Int]) -> ProgramEvent.Value { .items(value) }
        switch subject {
        case .number: visitor.visit(object, \.number, number)
        case .items: visitor.visit(object, \.items, items)
        case .members: visitor.visit(object, \.members) { .members($0) }
        case .child: visitor.visit(object, \.child) { $0.map { .object($0.index) } ?? .none }
        case .manual: visitor.visit(object, \.manual, number)
        case .shift: visitor.visit(shifted, \.shift, number)
        case .itemCount: visitor.visit(object, \.items.count, number)
        case .summary: visitor.visit(object, \.summary, number)
        case .childNumber, .expression: visitor.visit(object, \.child?.number) { $0.map(number) ?? .none }
        case .childManual: visitor.visit(object, \.child?.manual) { $0.map(number) ?? .none }
        case .childItems: visitor.visit(object, \.child?.items) { $0.map(items) ?? .none }
        case .grandchildItems: visitor.visit(object, \.child?.child?.items) { $0.map(items) ?? .none }
        case .numberOfSubclass: visitor.visit(shifted, \.number, number)
        case .itemsOfSubclass: visitor.visit(shifted, \.items, items)
        }
    }
}

extension ItemsMutation {
    /// Makes the mutation, if it is possible.
    fileprivate func perform(on items: ObservedMutableArray<Int>) {
        func set(_ positions: [Int]) -> RangeSet<Int> { RangeSet(positions.map { $0..<($0 + 1) }) }
        guard isPossible(with: items.count) else { return }
        switch self {
        case .append(let new): if new.count == 1 { items.append(new[0]) } else { items.append(contentsOf: new) }
        case .insert(let new, let positions): items.insert(contentsOf: new, at: set(positions))
        case .remove(let positions): items.removeSubranges(set(positions))
        case .replace(let positions, let new): items.replaceSubranges(set(positions), with: new)
        case .replaceSubrange(let range, let new): items.replaceSubrange(range, with: new)
        case .move(let positions, let destination): items.moveSubranges(set(positions), to: destination)
        case .swap(let first, let second): items.swapAt(first, second)
        case .sort: items.sort()
        case .reverse: items.reverse()
        case .removeAll: items.removeAll()
        case .removeMultiples(let divisor): items.removeAll { $0.isMultiple(of: divisor) }
        }
    }
}

extension MembersMutation {
    fileprivate func perform(on members: ObservedMutableSet<Int>) {
        switch self {
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
}

/// A copy of an object's collections that is kept by replaying changes.
final class ProgramReplica {
    private let object: ProgramObject
    private var items: [Int]
    private var members: Set<Int>
    /// Whether undoing each change gave what was there before it.
    private var isConsistent = true
    private var tokens: [KeyValueObservation] = []

    init(of object: ProgramObject) {
        self.object = object
        (items, members) = (object.items, object.members)
        tokens = [
            object.observe(\.items, options: [.old, .new]) { [unowned self] in
                replay($1, on: &items) { $0.apply(to: &$1) }
            },
            object.observe(\.members, options: [.old, .new]) { [unowned self] in
                replay($1, on: &members) { $0.apply(to: &$1) }
            },
        ]
    }

    /// Whether the copy is what the object has.
    var isCurrent: Bool { items == object.items && members == object.members && isConsistent }

    private func replay<Value: Equatable>(
        _ change: KeyValueObservedChange<Value>, on copy: inout Value,
        _ apply: (KeyValueObservedChange<Value>, inout Value) -> Void
    ) {
        let before = copy
        apply(change, &copy)
        var undone = copy
        if let inverse = change.inverse { apply(inverse, &undone) }
        if undone != before, change.kind != .setting || change.oldValue != undone { isConsistent = false }
    }
}
