// The objects of a random program, all of whose properties have code of their own.
import KeyValueObserving
import KeyValueObservingMacros

@KeyValueObservable
class ProgramObject {
    /// Whether accessors announce the changes of its properties.
    static let announces = true

    let index: Int
    var number = 0 { didSet { sets += 1 } }
    var items: [Int] = [] { didSet { sets += 1 } }
    var members: Set<Int> = [] { didSet { sets += 1 } }
    var child: ProgramObject? { didSet { sets += 1 } }
    /// How often code of the class ran.
    @NotObserved var sets = 0
    @NotObserved private var storedManual = 0

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
@KeyValueObservable
final class ShiftedProgramObject: ProgramObject {
    var shift = 0 { didSet { sets += 1 } }

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
