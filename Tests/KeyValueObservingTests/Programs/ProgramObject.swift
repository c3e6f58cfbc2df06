// The objects of a random program, of a class that declares its properties with `@Observed`.
import KeyValueObserving

class ProgramObject: KeyValueObservable {
    /// Whether accessors announce the changes of its properties.
    static let announces = false

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
