// The values of a path that ends at a property, made of the property's values.

/// Makes the values of a path of those of the property it ends at.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
struct PathLeaf {
    /// What is compiled where the property's type is known.
    private let making: LeafMaking
    /// Whether the path leads through an optional, so that its values are optionals.
    private let isWrapped: Bool

    init(_ making: LeafMaking, wrapped isWrapped: Bool) {
        self.making = making
        self.isWrapped = isWrapped
    }

    /// Calls `body` with the path's values, given those of the property.
    func withValues(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        if isWrapped { making.wrap(values, body) } else { body(values) }
    }

    /// Keeps the path's values, given those of the property.
    func boxed(_ values: ChangeValues, _ type: Any.Type) -> BoxedValues {
        var boxes = BoxedValues()
        withValues(values) { boxes = BoxedValues(of: $0, type) }
        return boxes
    }

    /// Replaces a value of the path by the one after a change of the property, or after one of some elements.
    func replace(_ box: BoxedValue, with values: ChangeValues, ofElements isOfElements: Bool) {
        (isWrapped ? making.replaceWrapped : making.replace)(box, values, isOfElements)
    }
}

/// What is done with values of a type, compiled where the type is known.
@usableFromInline
final class LeafMaking {
    /// Wraps values in optionals: is given a property's values, and calls its last argument with optionals of them.
    let wrap: (ChangeValues, (ChangeValues) -> Void) -> Void
    let replace: (BoxedValue, ChangeValues, _ ofElements: Bool) -> Void
    let replaceWrapped: (BoxedValue, ChangeValues, _ ofElements: Bool) -> Void

    @usableFromInline
    init(
        wrap: @escaping (ChangeValues, (ChangeValues) -> Void) -> Void,
        replace: @escaping (BoxedValue, ChangeValues, Bool) -> Void,
        replaceWrapped: @escaping (BoxedValue, ChangeValues, Bool) -> Void
    ) {
        self.wrap = wrap
        self.replace = replace
        self.replaceWrapped = replaceWrapped
    }

    /// That of a type.
    @inlinable
    static func of<Value>(_: Value.Type) -> LeafMaking {
        LeafMaking(
            wrap: { values, body in
                // A value that is missing stays missing.
                let old: Value?? = values.old(as: Value.self).map { $0 }
                let new: Value?? = values.new(as: Value.self).map { $0 }
                let whole: Value?? = values.whole(as: Value.self).map { $0 }
                ChangeValues.with(old: old, new: new, whole: whole, body)
            },
            replace: { box, values, isOfElements in
                let new = isOfElements ? values.whole(as: Value.self) : values.new(as: Value.self)
                if let new { box.replace(with: new) }
            },
            replaceWrapped: { box, values, isOfElements in
                let new = isOfElements ? values.whole(as: Value.self) : values.new(as: Value.self)
                if let new { box.replace(with: Optional(new)) }
            })
    }
}
