// The library's assumptions about the Swift runtime, and their checks.
import CKeyValueObserving

extension RuntimeAssumption {
    /// All assumptions; those with a check at the first use come first.
    package static var all: [RuntimeAssumption] { checked + tried + added }

    /// The assumptions that are checked at the first use.
    package static let checked = [
        keyPathComponents, overrides, fields, getterSymbols, optionals, constantTexts, executors,
    ]

    /// The assumptions that only a report checks, because the library has no alternative, or chooses it when it is
    /// compiled.
    package static let tried = [accesses, storage, boxes, references, isolatedFunctions, stacks]

    package static let keyPathComponents = RuntimeAssumption(
        "A key path lists its components in its memory.",
        otherwise: "Key paths are compared by ==, and paths are evaluated after each change."
    ) { KeyPathComponents.isLayoutKnown }

    package static let overrides = RuntimeAssumption(
        "A class lists in its descriptor what it overrides.",
        otherwise: "Each subclass is taken to override everything, so inherited properties are read after each change."
    ) { PropertyOverrides.isLayoutKnown }

    package static let fields = RuntimeAssumption(
        "The standard library lists the stored properties of a type.",
        otherwise: "A path has names for the objects that have been read; the rest is written with its type."
    ) { StoredProperties.isKnown }

    package static let getterSymbols = RuntimeAssumption(
        "The program's file names its getters.",
        otherwise: "A path has names for the objects that have been read; the rest is written with its type."
    ) { GetterSymbols.areKnown }

    package static let optionals = RuntimeAssumption(
        "An optional is the bytes of what it wraps, and zeros.",
        otherwise: "The values of a path through an optional are copied."
    ) { ValueWrapping.areBytesKnown }

    package static let constantTexts = RuntimeAssumption(
        "A constant text is its address, its length and a flag.",
        otherwise: "A trap of an isolated handler is reported for an unknown file; its message has the place."
    ) { StaticString.isLayoutKnown }

    package static let executors = RuntimeAssumption(
        "An actor's executor is two words, and the runtime compares it with the current one.",
        otherwise: "A handler that is called outside its actor traps with Swift's message."
    ) { ExecutorLayout.isKnown }

    private static let accesses = RuntimeAssumption(
        "The runtime keeps an access in three words, of which the first is the address.",
        otherwise: "There is no other form: accesses in place are not to be relied on."
    ) { areAccessesKnown() }

    private static let storage = RuntimeAssumption(
        "A stored property of an object lies where its key path says, for as long as the object lives.",
        otherwise: "Properties are told apart by the addresses that key paths lead to."
    ) { ReportedObject.isStorageKnown() }

    private static let boxes = RuntimeAssumption(
        "An optional that has been emptied takes another value at its start.",
        otherwise: "There is no other form: old values are not to be relied on."
    ) { areBoxesKnown() }

    private static let references = RuntimeAssumption(
        "An unowned reference keeps the memory of an object, and the runtime says whether the object lives.",
        otherwise: "References are weak, as the library is compiled for Apple's platforms."
    ) { areReferencesKnown() }

    private static let isolatedFunctions = RuntimeAssumption(
        "A function that belongs to an actor is called as any other.",
        otherwise: "There is no other form: handlers cannot be called."
    ) { isCalled() }

    private static let stacks = RuntimeAssumption(
        "The C library says where the stack of a thread ends.",
        otherwise: "Handlers that set properties without end overflow the stack without a message."
    ) { kvo_find_stack_limit() > 1 }
}

// MARK: Assumptions that only a report checks

private func areAccessesKnown() -> Bool {
    let place = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { unsafe place.deallocate() }
    var record = kvo_no_access()
    return unsafe withUnsafeMutablePointer(to: &record) { record in
        unsafe kvo_begin_modify(place, record)
        defer { unsafe swift_endAccess(record) }
        let words = unsafe record.pointee.words
        return unsafe words.0 == UInt(bitPattern: place) && kvo_change(record) == nil
    }
}

private func areBoxesKnown() -> Bool {
    func isKept<Value: Equatable>(_ first: Value, _ second: Value) -> Bool {
        let box = BoxedValue.holding(first)
        let isFirst = box.value(as: Value.self) == first
        box.clear()
        box.fill(with: second)
        return isFirst && box.value(as: Value.self) == second
    }
    return isKept(1, -1) && isKept(true, false) && isKept("text", "a text of more than fifteen bytes")
        && isKept([1], []) && isKept(nil as String?, "text")
}

private func isCalled() -> Bool {
    var values: [Int?] = []
    let handler = Handler<ReportedObject, Int> { values.append($1.newValue) }
    handler.call(ReportedObject(), KeyValueObservedChange(kind: .setting, newValue: 21, keyPath: \Int.self))
    return values == [21]
}

private func areReferencesKnown() -> Bool {
    let (holder, isAlive) = heldReference()
    return isAlive && holder.reference.object == nil
}

/// Refers to an object, and releases it.
@inline(never)
private func heldReference() -> (ReferenceHolder, isAlive: Bool) {
    let object = ReportedObject()
    let holder = ReferenceHolder(object)
    return (holder, holder.reference.object === object)
}

private final class ReferenceHolder {
    let reference: RootReference<ReportedObject>

    init(_ object: ReportedObject) { reference = RootReference(object) }
}

private final class ReportedObject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var number = 1

    /// Whether the property of a new object is at the offset in its key path.
    static func isStorageKnown() -> Bool {
        let object = ReportedObject()
        let place = StoragePlace(in: object, at: { \ReportedObject._number }, of: { \ReportedObject.number })
        return KeyPathComponents.offsetOfStoredProperty(\ReportedObject._number) == place.property.rawValue
            && place.read() == 1
    }
}
