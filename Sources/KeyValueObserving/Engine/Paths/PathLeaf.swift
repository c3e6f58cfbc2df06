// The values of a path that ends at a property, made of the property's values.

/// Makes the values of a path of those of the property it ends at.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
enum PathLeaf {
    /// What is done with the values of a path.
    typealias Body = (ChangeValues) -> Void
    /// Wraps values in optionals: is given a property's values, and calls its last argument with optionals of them.
    ///
    /// It is compiled where the property's type is known.
    typealias Wrapping = (ChangeValues, Body) -> Void

    /// The path has the property's type.
    case same
    /// The path leads through an optional, so that its values are optionals.
    case wrapped(Wrapping)

    /// Calls `body` with the path's values, given those of the property.
    func withValues(_ values: ChangeValues, _ body: Body) {
        switch self {
        case .same: body(values)
        case .wrapped(let wrap): wrap(values, body)
        }
    }
}

/// Wraps values of a type in optionals.
@usableFromInline
enum Wrapping<Value> {
    @inlinable
    static func wrap(_ values: ChangeValues, _ body: (ChangeValues) -> Void) {
        // A value that is missing stays missing.
        let old: Value?? = values.old(as: Value.self).map { $0 }
        let new: Value?? = values.new(as: Value.self).map { $0 }
        ChangeValues.with(old: old, new: new, body)
    }
}
