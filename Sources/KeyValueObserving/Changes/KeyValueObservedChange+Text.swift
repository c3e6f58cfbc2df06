// Changes as text, and messages about missing values.

extension KeyValueObservedChange {
    /// The new value, which the registration must have requested with `.new`.
    ///
    /// Use it in place of `newValue!`: if the value is missing, the program ends with a sentence that says why.
    ///
    /// - Precondition: `.new` was requested, the change has been made, and it is not a removal.
    public var requiredNewValue: Value {
        if let newValue { return newValue }
        let reason = isPrior ? "The change is still to be made" : kind == .removal ? "A removal has none" : nil
        fatalError(missing("new", reason))
    }

    /// The old value, which the registration must have requested with `.old`.
    ///
    /// Use it in place of `oldValue!`: if the value is missing, the program ends with a sentence that says why.
    ///
    /// - Precondition: `.old` was requested, and the change is neither an insertion nor the call of `.initial`.
    public var requiredOldValue: Value {
        if let oldValue { return oldValue }
        fatalError(missing("old", kind == .insertion ? "An insertion has none" : nil))
    }

    private func missing(_ name: String, _ reason: String?) -> String {
        let subject = "The \(kind) of \(origin.name) has no \(name) value."
        if let reason { return "\(subject) \(reason)." }
        let place = origin.place.map { " at \($0)" } ?? ""
        return "\(subject) Register with the option .\(name)\(place) to get it."
    }
}

extension KeyValueObservedChange: CustomStringConvertible {
    /// The change in one line, such as `setting of age, 17 → 18` or `insertion in tags at 2: ["x"]`.
    ///
    /// Values that were not requested are left out.
    public var description: String {
        let preposition = kind == .setting ? "of" : "in"
        return (isPrior ? "before the " : "") + "\(kind) \(preposition) \(origin.name)" + (edit?.positionsText ?? "")
            + valuesText
    }

    private var valuesText: String {
        switch (oldValue, newValue) {
        case (nil, nil): ""
        case (let old?, let new?): ", \(Self.text(of: old)) → \(Self.text(of: new))"
        case (let old?, nil): kind == .setting ? ", \(Self.text(of: old)) →" : ": \(Self.text(of: old))"
        case (nil, let new?): kind == .setting ? ", → \(Self.text(of: new))" : ": \(Self.text(of: new))"
        }
    }

    /// A value in a readable form: an optional as its wrapped value or nil.
    private static func text(of value: Any) -> String {
        if let optional = value as? any OptionalValue { return optional.contents.map { text(of: $0) } ?? "nil" }
        return value is String ? String(reflecting: value) : "\(value)"
    }
}

extension Edit {
    /// The positions of the elements, such as ` at 2` or ` at 2–4, 7`; empty for a set or a dictionary.
    var positionsText: String {
        guard let ranges = positions?.indexes.ranges else { return "" }
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound - 1)" }
        return " at " + texts.joined(separator: ", ")
    }
}
