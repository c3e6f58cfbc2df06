// The values of a path that ends at a property, made of the property's values.

/// Makes the values of a path of those of the property it ends at.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
struct PathLeaf {
    /// Wraps values, if the path leads through an optional, so that its values are optionals.
    let wrapping: ValueWrapping?
    /// Whether the property's values make those of the path in any case: it is stored with nothing before it.
    ///
    /// Otherwise only its elements do.
    var isCertain: Bool

    /// Calls `body` with the path's values, given those of the property.
    @inline(__always)
    func withValues(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        if let wrapping { wrapping(values, body) } else { body(values) }
    }
}

/// Wraps values in optionals: is given a property's values, and calls its last argument with optionals of them.
@usableFromInline typealias ValueWrapping = (ChangeValues, (ChangeValues) -> Void) -> Void

extension ChangeValues {
    /// Wraps values of a type; compiled where the type is known.
    @inlinable
    static func wrapping<Value>(_: Value.Type) -> ValueWrapping {
        { values, body in
            // A value that is missing stays missing.
            let old: Value?? = values.old(as: Value.self).map { $0 }
            let new: Value?? = values.new(as: Value.self).map { $0 }
            let whole: Value?? = values.whole(as: Value.self).map { $0 }
            ChangeValues.with(old: old, new: new, whole: whole, body)
        }
    }
}
