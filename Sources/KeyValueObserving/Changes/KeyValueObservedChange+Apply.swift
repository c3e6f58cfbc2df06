// Applying changes to copies, and undoing them.

extension KeyValueObservedChange {
    /// Makes the change in a copy of the property's value.
    ///
    /// ```swift
    /// var mirror = person.tags
    /// let token = person.observe(\.tags, options: [.old, .new]) { _, change in change.apply(to: &mirror) }
    /// ```
    ///
    /// A setting replaces the copy, or makes its ``steps`` in it if its new value was not requested. A change of
    /// elements is made in an array, a set, a dictionary, or an optional of one. A change that is still to come,
    /// ``isPrior``, does nothing.
    ///
    /// - Parameter copy: The value before the change.
    /// - Precondition: `.new` was requested, unless the change is a removal, and `.old` for removals and replacements
    ///   in sets and dictionaries. All positions are in the copy.
    /// - Complexity: O(*n*), where *n* is the number of elements of an array, or of those that come and go.
    public func apply(to copy: inout Value) {
        guard !isPrior else { return }
        if kind != .setting {
            if makeUnchecked(in: &copy) { return }
            fatalError("\(kind) is a change of elements, and \(TypeName.text(of: Value.self)) has none.")
        }
        let steps = newValue == nil ? steps : []
        if steps.isEmpty { copy = requiredNewValue }
        for step in steps { step.apply(to: &copy) }
    }

    /// The change that undoes this one: applied to the value after the change, it gives the value before it.
    ///
    /// Its ``steps`` are those of this one inverted, the last one first. Nil for a change that is still to come,
    /// ``isPrior``, and if a value that it needs was not requested: request `.old` and `.new`.
    public var inverse: Self? {
        let kind = kind.inverse
        let isComplete = (newValue != nil || kind == .insertion) && (oldValue != nil || kind == .removal)
        guard !isPrior, isComplete else { return nil }
        let steps = steps.reversed().compactMap(\.inverse)
        guard steps.count == self.steps.count else { return nil }
        return Self(
            kind: kind, oldValue: newValue, newValue: oldValue,
            edit: steps.isEmpty
                ? edit.map { Edit(kind, at: $0.positions) } : Edit(settingBy: ChangeSteps(steps)),
            isPrior: false, origin: origin)
    }
}

extension KeyValueChange {
    /// The kind of a change that undoes one of this kind.
    @usableFromInline var inverse: Self {
        switch self {
        case .insertion: .removal
        case .removal: .insertion
        case .setting, .replacement: self
        }
    }
}
