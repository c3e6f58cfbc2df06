// Applying a change of another property.

extension ObservedMutableProperty {
    /// Applies a change of another property to this one.
    ///
    /// ```swift
    /// let copy = Person()
    /// let mirror = person.observe(\.tags, options: [.old, .new]) { _, change in
    ///     copy.mutable(\.tags).apply(change)
    /// }
    /// ```
    ///
    /// In an array, a set or a dictionary, a change of elements is made as a change of elements, of the same kind, so
    /// one property follows another at the cost of the elements that change. The steps of a setting are made in one
    /// transaction. A change that is still to come, ``KeyValueObservedChange/isPrior``, does nothing.
    ///
    /// - Parameter change: The change.
    /// - Precondition: `.new` was requested, unless the change is a removal, and `.old` for changes of a set or
    ///   dictionary that are neither insertions nor settings. All positions are in the property's value.
    public func apply(_ change: KeyValueObservedChange<Value>) {
        guard !change.isPrior else { return }
        if change.kind == .setting {
            if change.steps.isEmpty { return backing.set(change.requiredNewValue) }
            withKeyValueTransaction { for step in change.steps { apply(step) } }
        } else if !change.make(through: self) {
            fatalError(
                "\(change.kind) is a change of elements, and a view of \(TypeName.text(of: Value.self)) changes none.")
        }
    }
}
