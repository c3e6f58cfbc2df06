// What is told of a change of some elements of a to-many property, beside the elements.

/// How some elements of a to-many property change.
@usableFromInline
class ElementsChange: ChangedIndexes {
    final let kind: KeyValueChange

    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - positions: Where, for an ordered property.
    @usableFromInline
    init(_ kind: KeyValueChange, at positions: Positions?) {
        self.kind = kind
        super.init(positions)
    }

    /// The positions for changes, which handlers may keep.
    var told: ChangedIndexes { self }

    /// The elements concerned as a path has them whose end is the property: as an optional, perhaps.
    ///
    /// - Parameters:
    ///   - elements: Points to the elements, as an optional of the property's type.
    ///   - type: The type of the path's value.
    /// - Returns: The elements, as an optional of that type.
    func value<PathValue>(_ elements: UnsafeRawPointer, as type: PathValue.Type) -> AnyValue {
        preconditionFailure("a subclass knows the property's type")
    }

    /// What the property was before, as a path had it whose end was the property.
    ///
    /// - Parameters:
    ///   - old: The elements that left.
    ///   - new: Points to the elements that came, as an optional of the property's type.
    /// - Returns: The whole value, as an optional of the path's type.
    func whole<PathValue>(beforeLosing old: PathValue?, andGaining new: UnsafeRawPointer) -> AnyValue {
        preconditionFailure("a subclass knows the property's type")
    }

    /// Whether the value of a path is what the property stores, and not made from it.
    func isStored<PathValue>(_ value: PathValue) -> Bool {
        preconditionFailure("a subclass knows the property's type")
    }
}

/// How some elements of a property change whose type is known.
final class TypedElementsChange<Value>: ElementsChange {
    private let stored: () -> Value
    private let new: (Value) -> Value?

    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - positions: Where, for an ordered property.
    ///   - stored: Reads what the property stores.
    ///   - new: Finds the elements that are new in the value after the change.
    init(
        _ kind: KeyValueChange, at positions: Positions?, stored: @escaping () -> Value,
        new: @escaping (Value) -> Value? = { $0 }
    ) {
        self.stored = stored
        self.new = new
        super.init(kind, at: positions)
    }

    /// Not this object, for it holds the one that changes.
    override var told: ChangedIndexes { ChangedIndexes(positions) }

    /// The elements that are new in the value after the change.
    func new(in value: Value) -> Value? { new(value) }

    override func value<PathValue>(_ elements: UnsafeRawPointer, as type: PathValue.Type) -> AnyValue {
        // The pipeline made it for a property of this type.
        let elements = unsafe elements.assumingMemoryBound(to: Value?.self).pointee
        return AnyValue.holding(optional: elements.flatMap { $0 as? PathValue })
    }

    override func whole<PathValue>(beforeLosing old: PathValue?, andGaining new: UnsafeRawPointer) -> AnyValue {
        // The pipeline made it for a property of this type.
        let new = unsafe new.assumingMemoryBound(to: Value?.self).pointee
        func undo<Elements: UndoableElements>(_ elements: Elements) -> PathValue? {
            let positions = indexes.map { Array($0.ranges.joined()) } ?? []
            return elements.undoing(kind, at: positions, old: old as? Elements, new: new as? Elements) as? PathValue
        }
        return AnyValue.holding(optional: (stored() as? any UndoableElements).flatMap { undo($0) })
    }

    override func isStored<PathValue>(_ value: PathValue) -> Bool {
        guard let value = value as? Value else { return false }
        return isSameCopy(value, stored())
    }
}

/// Whether two values have the same representation, as copies of one value have.
///
/// For a collection that is a comparison of the places of their elements, whatever their number.
func isSameCopy<Value>(_ left: Value, _ right: Value) -> Bool {
    // Bytes are only read. Where they differ in padding, the answer is no, which is the careful one.
    unsafe withUnsafeBytes(of: left) { left in
        unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
    }
}
