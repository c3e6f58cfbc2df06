// How some elements of a collection change.

/// What a change of elements is, beside the elements.
@usableFromInline
final class ElementsChange {
    @usableFromInline let kind: KeyValueChange
    /// Where, in an ordered collection: the old positions, of an insertion the new ones.
    let positions: Positions?
    /// The whole value after the change, for a registration that needs it and is notified when it may have changed again.
    let whole: BoxedValue?

    @usableFromInline
    convenience init(_ kind: KeyValueChange, at positions: Positions?) {
        self.init(kind, at: positions, whole: nil)
    }

    private init(_ kind: KeyValueChange, at positions: Positions?, whole: BoxedValue?) {
        self.kind = kind
        self.positions = positions
        self.whole = whole
    }

    /// The same with the whole value after the change, or without it.
    func with(whole: BoxedValue?) -> ElementsChange { ElementsChange(kind, at: positions, whole: whole) }
}

/// A change of elements that a view is asked to make: what observers are notified of, and what it brings.
@usableFromInline
struct ElementsEdit<Value> {
    @usableFromInline let kind: KeyValueChange
    @usableFromInline let positions: Positions?
    /// The elements that are inserted or take the place of others.
    @usableFromInline let elements: Value?

    /// How the edit is made in a value.
    @frozen @usableFromInline
    enum Mode {
        /// The value is as it was when the edit was planned.
        case asPlanned
        /// A handler or a getter has changed the value since.
        case wherePossible
        /// The edit was made in the value, and is undone; with the elements that left.
        case undone(Value?)
    }

    @inlinable
    init(_ kind: KeyValueChange, at positions: Positions?, with elements: Value?) {
        self.kind = kind
        self.positions = positions
        self.elements = elements
    }
}

/// Whether two values have the same representation, as copies of one value have.
///
/// For a collection that is a comparison of where its elements are, whatever their number. Where only padding differs
/// the answer is no, which is the careful one.
func isSameCopy<Value>(_ left: Value, _ right: Value) -> Bool {
    unsafe withUnsafeBytes(of: left) { left in
        unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
    }
}
