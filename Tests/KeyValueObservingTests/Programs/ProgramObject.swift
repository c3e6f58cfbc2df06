// The objects of a random program, of a class that declares its properties with `@Observed`.
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
class ShiftedProgramObject: ProgramObject {
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

/// Objects of the class, the last one of its subclass.
struct ObservedProgramObjects: ProgramObjects {
    private let objects: [ProgramObject]
    private let shifted: ShiftedProgramObject

    init(count: Int) {
        shifted = ShiftedProgramObject(index: count - 1)
        objects = (0..<(count - 1)).map(ProgramObject.init) + [shifted]
    }

    var replicas: [ProgramReplica] { objects.map { ProgramReplica(of: $0, items: \.items, members: \.members) } }

    var listeners: ProgramListeners { ProgramListeners(of: objects, items: \.items, members: \.members) }

    var states: [ProgramModel.Object] { objects.map(\.state) }

    func clear() { for object in objects { object.child = nil } }

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
        case .will, .did, .observe, .end, .transaction: break
        }
    }

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
