// Making a change that another property made.

extension ObservedMutableProperty {
    /// Sets the property as another one was set.
    ///
    /// ```swift
    /// let copy = Person()
    /// let mirror = person.observe(\.tags, options: [.old, .new]) { _, change in
    ///     copy.mutable(\.tags).apply(change)
    /// }
    /// ```
    ///
    /// Where the values are arrays, sets or dictionaries, changes of elements are made as changes of elements, of the same
    /// kind: so one property follows another at the cost of what changes. The steps of a setting are made in one transaction.
    /// A change that is still to come, ``KeyValueObservedChange/isPrior``, does nothing.
    ///
    /// - Parameter change: The change.
    /// - Precondition: `.new` was asked for, unless the change is a removal, and `.old` for changes of a set or dictionary
    ///   that are neither insertions nor settings. All positions are in the property's value.
    @_disfavoredOverload
    public func apply(_ change: KeyValueObservedChange<Value>) {
        guard !change.isPrior else { return }
        if change.kind != .setting {
            fatalError(
                """
                \(change.kind) is a change of elements, and it is applied where \(TypeName.text(of: Value.self)) is not \
                known to be an array, a set or a dictionary. Apply it to a view whose type says so.
                """)
        }
        set(change) { $0.apply($1) }
    }

    /// Sets the property, or makes the steps of a setting, as one transaction.
    fileprivate func set(
        _ change: KeyValueObservedChange<Value>, _ apply: (Self, KeyValueObservedChange<Value>) -> Void
    ) {
        if change.steps.isEmpty { return backing.set(change.requiredNewValue) }
        withKeyValueTransaction { for step in change.steps { apply(self, step) } }
    }
}

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Makes a change that another property made, as a change of the same kind.
    ///
    /// - Parameter change: The change.
    /// - Precondition: `.new` was asked for, unless the change is a removal. All positions are in the property's value.
    public func apply(_ change: KeyValueObservedChange<Value>) {
        guard !change.isPrior else { return }
        let positions = change.indexes ?? RangeSet()
        switch change.kind {
        case .setting: set(change) { $0.apply($1) }
        case .insertion: insert(contentsOf: change.requiredNewValue, at: positions)
        case .removal: removeSubranges(positions)
        case .replacement: replaceSubranges(positions, with: change.requiredNewValue)
        }
    }
}

extension ObservedMutableProperty where Value: SetAlgebra & Collection, Value.ArrayLiteralElement == Value.Element {
    /// Makes a change that another property made, as a change of the same kind, of those members that really come or go.
    ///
    /// - Parameter change: The change.
    /// - Precondition: `.new` was asked for, unless the change is a removal, and `.old` for removals and replacements.
    public func apply(_ change: KeyValueObservedChange<Value>) {
        guard !change.isPrior else { return }
        switch change.kind {
        case .setting: set(change) { $0.apply($1) }
        case .insertion: formUnion(change.requiredNewValue)
        case .removal: subtract(change.requiredOldValue)
        case .replacement:
            asStep {
                let removed = members(in: change.requiredOldValue)
                self.change(.replacement, removing: removed, inserting: newcomers(in: change.requiredNewValue))
            }
        }
    }
}

extension ObservedMutableProperty {
    /// Makes a change that another property made, as a change of the same kind, of those entries that are there.
    ///
    /// - Parameter change: The change.
    /// - Precondition: `.new` was asked for, unless the change is a removal, and `.old` for removals and replacements.
    public func apply<Key: Hashable, Element>(
        _ change: KeyValueObservedChange<Value>
    ) where Value == [Key: Element] {
        guard !change.isPrior else { return }
        switch change.kind {
        case .setting: set(change) { $0.apply($1) }
        case .insertion: merge(change.requiredNewValue) { $1 }
        case .removal: asStep { self.change(.removal, removing: entries(in: change.requiredOldValue)) }
        case .replacement:
            asStep {
                self.change(
                    .replacement, removing: entries(in: change.requiredOldValue), inserting: change.requiredNewValue)
            }
        }
    }
}
