// The objects of a random program, of a class of another module.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling

final class NotifyingPiece: Piece, NotifyingSubclass {
    override var number: Int {
        get {
            accessValue(for: \.number)
            return super.number
        }
        set { changeValue(for: \.number) { super.number = newValue } }
    }

    override var items: [Int] {
        get {
            accessValue(for: \.items)
            return super.items
        }
        set { changeValue(for: \.items) { super.items = newValue } }
    }

    override var members: Set<Int> {
        get {
            accessValue(for: \.members)
            return super.members
        }
        set { changeValue(for: \.members) { super.members = newValue } }
    }

    override var child: Piece? {
        get {
            accessValue(for: \.child)
            return super.child
        }
        set { changeValue(for: \.child) { super.child = newValue } }
    }

    override var manual: Int {
        get {
            accessValue(for: \.manual)
            return super.manual
        }
        set { changeValue(for: \.manual) { super.manual = newValue } }
    }

    override var shift: Int {
        get {
            accessValue(for: \.shift)
            return super.shift
        }
        set { changeValue(for: \.shift) { super.shift = newValue } }
    }

    var summary: Int { number + items.count + (child?.number ?? 0) + manual }
}

/// Objects of the other module's class, made observable after they were made.
struct ForeignProgramObjects: ProgramObjects {
    /// What the program changes: it knows of no subclass.
    private let pieces: [Piece]
    private let objects: [NotifyingPiece]

    init(count: Int) {
        let pieces = (0..<count).map { Piece(index: $0, isShifted: $0 == count - 1) }
        self.pieces = pieces
        do {
            objects = try pieces.map { try NotifyingPiece.makeObservable($0) }
        } catch {
            fatalError("\(error)")
        }
    }

    var replicas: [ProgramReplica] { objects.map { ProgramReplica(of: $0, items: \.items, members: \.members) } }

    var listeners: ProgramListeners { ProgramListeners(of: objects, items: \.items, members: \.members) }

    var states: [ProgramModel.Object] {
        pieces.map { piece in
            ProgramModel.Object(
                number: piece.stored.number, items: piece.stored.items, members: piece.members,
                child: piece.child?.index, manual: piece.manual, shift: piece.shift)
        }
    }

    func clear() { for piece in pieces { piece.child = nil } }

    func perform(_ change: ProgramOperation) {
        switch change {
        case .setNumber(let number, let object): pieces[object].number = number
        case .addToNumber(let step, let object): pieces[object].number += step
        case .setItems(let items, let object): pieces[object].items = items
        case .appendInPlace(let item, let object): pieces[object].items.append(item)
        case .setMembers(let members, let object): pieces[object].members = members
        case .setChild(let child, let object): pieces[object].child = child.map { pieces[$0] }
        case .setShift(let shift): pieces.last?.shift = shift
        case .setManual(let number, let object): pieces[object].manual = number
        case .writeManual(let number, let object): pieces[object].writeBehindManual(number)
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
        case .number, .numberOfSubclass: visitor.visit(object, \.number, number)
        case .items, .itemsOfSubclass: visitor.visit(object, \.items, items)
        case .members: visitor.visit(object, \.members) { .members($0) }
        case .child: visitor.visit(object, \.child) { $0.map { .object($0.index) } ?? .none }
        case .manual: visitor.visit(object, \.manual, number)
        case .shift: visitor.visit(object, \.shift, number)
        case .itemCount: visitor.visit(object, \.items.count, number)
        case .summary: visitor.visit(object, \.summary, number)
        case .childNumber, .expression: visitor.visit(object, \.child?.number) { $0.map(number) ?? .none }
        case .childManual: visitor.visit(object, \.child?.manual) { $0.map(number) ?? .none }
        case .childItems: visitor.visit(object, \.child?.items) { $0.map(items) ?? .none }
        case .grandchildItems: visitor.visit(object, \.child?.child?.items) { $0.map(items) ?? .none }
        }
    }
}
