// How a view gets at its property.

/// How a view gets at its property; the subclass knows the object's type.
@usableFromInline
class PropertyReach<Value> {
    /// The value as the property's own accessors give and take it.
    var value: Value {
        get { preconditionFailure("a subclass reads") }
        set { preconditionFailure("a subclass writes \(newValue)") }
    }

    /// The value, to be looked at by what is about to change it: what is being delivered is delivered to the end first,
    /// for it may change the value, and nobody depends on this reading.
    @usableFromInline var current: Value { preconditionFailure("a subclass reads") }

    /// Makes a change of some elements.
    ///
    /// - Parameters:
    ///   - edit: What is told of it.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes it, and is told whether the value is as it was: a prior handler may have changed it.
    @usableFromInline
    func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        preconditionFailure("a subclass writes")
    }

    /// The elements one by one, where the value itself would have to be made from another array.
    @usableFromInline var converted: (any ConvertedElements)? { nil }
}

/// The elements of an array of another type, each converted when it is asked for.
@usableFromInline
protocol ConvertedElements {
    var count: Int { get }
    /// The number of elements, for what is about to change it: see `PropertyReach.current`.
    var currentCount: Int { get }
    func element(at position: Int) -> Any
}

/// How a view reads and changes what an observed property stores.
///
/// Made where the property is declared, these are plain accesses to the object, and not applications of a key path.
@usableFromInline
struct StorageAccess<Object, Value> {
    let read: (Object) -> Value
    let change: (Object, (inout Value) -> Void) -> Void

    @usableFromInline
    init(read: @escaping (Object) -> Value, change: @escaping (Object, (inout Value) -> Void) -> Void) {
        self.read = read
        self.change = change
    }
}

/// Gets at the storage of an observed property.
final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    private let access: StorageAccess<Object, Value>
    private let property: PropertyIdentity

    init(
        object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>,
        access: StorageAccess<Object, Value>
    ) {
        self.object = object
        self.storage = storage
        self.access = access
        property = PropertyIdentity(of: object, storage: storage, wrapped: storage.appending(path: \.value))
    }

    private var stored: ReferenceWritableKeyPath<Object, Value> { storage.appending(path: \.value) }

    /// What the property's own accessors do.
    override var value: Value {
        get {
            if ReadingRecorder.isRecording { ReadingRecorder.report(object, property, viewed: storage) }
            return access.read(object)
        }
        set { Observed[_enclosingInstance: object, wrapped: stored, storage: storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: stored, storage: storage] }
    }

    override var current: Value {
        ChangePipeline.prepareChange(of: property, of: object)
        return access.read(object)
    }

    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        ChangePipeline.change(object, property, access, edit, old: old, apply: apply)
    }
}

/// Gets at a property that has no storage of its own, or keeps something else there than it returns.
final class AccessorReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let keyPath: ReferenceWritableKeyPath<Object, Value>
    private let isAutomatic: Bool

    init(object: Object, keyPath: ReferenceWritableKeyPath<Object, Value>) {
        self.object = object
        self.keyPath = keyPath
        isAutomatic = ClassFacts.of(object).facts(of: keyPath).isAutomatic
    }

    override var value: Value {
        get { object[keyPath: keyPath] }
        set { object[keyPath: keyPath] = newValue }
        _modify { yield &object[keyPath: keyPath] }
    }

    override var current: Value {
        ChangePipeline.prepareChange(of: nil, of: object)
        return ReadingRecorder.suspended { object[keyPath: keyPath] }
    }

    /// Sets the property once, and announces what changes by that.
    override func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        ReadingRecorder.suspended {
            let before = object[keyPath: keyPath]
            let table = isAutomatic ? object.keyValueRegistrar.existingTable : nil
            if let table {
                let elements = OpenChange.ElementsByHand(
                    kind: edit.kind, indexes: edit.positions?.indexes, old: old(before), isEmpty: false
                ) { _ in edit.elements }
                OpenChange.begin(byHand: keyPath, of: object, in: table) { _ in elements }
            }
            // A prior handler may have set the property.
            var after = object[keyPath: keyPath]
            let isAsPlanned = isSame(before, after)
            apply(&after, isAsPlanned)
            object[keyPath: keyPath] = after
            guard let table else { return }
            // A setter that keeps something else has set the whole value.
            let isKept = isAsPlanned && isSame(object[keyPath: keyPath], after)
            OpenChange.end(byHand: keyPath, of: object, in: table, wholeOld: isKept ? nil : before)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        func isEqual<Left: Equatable>(_ left: Left) -> Bool { (right as? Left).map { left == $0 } ?? false }
        return isSameCopy(left, right) || ((left as? any Equatable).map { isEqual($0) } ?? false)
    }
}
