// Making changes of collections in copies, and undoing them.

extension KeyValueObservedChange
where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    /// Makes in a copy what was made in the property.
    ///
    /// ```swift
    /// var mirror = person.tags
    /// let token = person.observe(\.tags, options: [.old, .new]) { _, change in change.apply(to: &mirror) }
    /// ```
    ///
    /// A setting replaces the copy, or makes its ``steps`` in it if its new value was not asked for. A change that is still to
    /// come, ``isPrior``, does nothing.
    ///
    /// - Parameter copy: The value before the change.
    /// - Precondition: `.new` was asked for, unless the change is a removal. All positions are in the copy.
    /// - Complexity: O(*n*), where *n* is the number of elements of the copy.
    public func apply(to copy: inout Value) {
        guard !isPrior else { return }
        switch kind {
        case .setting:
            set(&copy) { $0.apply(to: &$1) }
        case .removal:
            copy.remove(standingAt: changedIndexes)
        case .insertion:
            let elements = requiredNewValue
            if let end = changedIndexes.ranges.last?.upperBound, end > copy.endIndex + elements.count {
                fatalError(
                    "An insertion before \(end) does not fit a copy with the indices \(copy.startIndex)..<\(copy.endIndex)."
                )
            }
            copy.insert(elements, standingAt: changedIndexes)
        case .replacement:
            for (index, element) in zip(changedIndexes.ranges.joined(), requiredNewValue) {
                copy.replaceSubrange(index...index, with: CollectionOfOne(element))
            }
        }
    }

    private var changedIndexes: RangeSet<Int> { indexes ?? RangeSet() }
}

extension KeyValueObservedChange where Value: SetAlgebra {
    /// Makes in a copy what was made in the property.
    ///
    /// A setting replaces the copy, or makes its ``steps`` in it if its new value was not asked for. A change that is still to
    /// come, ``isPrior``, does nothing.
    ///
    /// - Parameter copy: The value before the change.
    /// - Precondition: `.old` was asked for, unless the change is an insertion or a setting, and `.new`, unless it is a
    ///   removal.
    /// - Complexity: O(*n*), where *n* is the number of members that come and go.
    public func apply(to copy: inout Value) {
        guard !isPrior else { return }
        if kind == .setting { return set(&copy) { $0.apply(to: &$1) } }
        if kind != .insertion { copy.subtract(requiredOldValue) }
        if kind != .removal { copy.formUnion(requiredNewValue) }
    }
}

extension KeyValueObservedChange {
    /// Makes in a copy what was made in the property.
    ///
    /// A setting replaces the copy, or makes its ``steps`` in it if its new value was not asked for. A change that is still to
    /// come, ``isPrior``, does nothing.
    ///
    /// - Parameter copy: The value before the change.
    /// - Precondition: `.old` was asked for, unless the change is an insertion or a setting, and `.new`, unless it is a
    ///   removal.
    /// - Complexity: O(*n*), where *n* is the number of entries that come and go.
    public func apply<Key, Element>(to copy: inout [Key: Element]) where Value == [Key: Element] {
        guard !isPrior else { return }
        if kind == .setting { return set(&copy) { $0.apply(to: &$1) } }
        if kind != .insertion { for key in requiredOldValue.keys { copy[key] = nil } }
        if kind != .removal { copy.merge(requiredNewValue) { $1 } }
    }

    /// Makes in a copy what was made in the property, whatever the type of its values.
    ///
    /// A setting replaces the copy, or makes its ``steps`` in it if its new value was not asked for. Changes of elements are
    /// made in collections that are arrays, sets or dictionaries, and in optionals of such. A change that is still to come,
    /// ``isPrior``, does nothing.
    ///
    /// - Parameter copy: The value before the change.
    /// - Precondition: What the change needs was asked for, and the change fits the copy.
    @_disfavoredOverload
    public func apply(to copy: inout Value) {
        guard !isPrior else { return }
        if kind == .setting { return set(&copy) { $0.apply(to: &$1) } }
        if !make(in: &copy) {
            fatalError("The \(kind) in \(origin.name) does not fit the copy that it was applied to.")
        }
    }

    /// The change that undoes this one: applied to the value after the change, it gives the value before it.
    ///
    /// Its ``steps`` are those of this one inverted, the last one first. Nil for a change that is still to come,
    /// ``isPrior``, and if a value that it needs was not asked for: ask for `.old` and `.new`.
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

    /// Makes a setting in a copy.
    private func set(_ copy: inout Value, _ apply: (Self, inout Value) -> Void) {
        let steps = newValue == nil ? steps : []
        if steps.isEmpty { copy = requiredNewValue }
        for step in steps { apply(step, &copy) }
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
