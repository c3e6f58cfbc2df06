// Views that change properties, by key path.

extension KeyValueObservable {
    /// A live view through which you read and change a property.
    ///
    /// ```swift
    /// person.mutable(\.tags).append("new")
    /// ```
    ///
    /// Changes of a collection carry the elements concerned, and their positions if the collection is ordered. For a computed
    /// property, each change sets the property once, which takes time for all elements, and its observers get a setting.
    ///
    /// The view of an ``Observed`` property changes the value where it is stored: the property's `willSet` and `didSet`
    /// are not called, unless the object's class overrides the property. A view of an ``ObservedShared`` property that
    /// the class overrides delivers each change as a setting of the whole.
    ///
    /// Only a writable key path is accepted, so code that cannot set the property cannot change it through a view.
    ///
    /// - Parameter keyPath: The property, from this object.
    /// - Returns: A view that keeps this object alive.
    /// - Complexity: O(1). The property is read when the first view of it is made for a class and key path.
    public func mutable<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>) -> ObservedMutableProperty<Value> {
        ObservedMutableProperty(backing(at: keyPath))
    }

    /// The property's storage if its getter returns the stored value, and otherwise its accessors.
    private func backing<Value>(at keyPath: ReferenceWritableKeyPath<Self, Value>) -> ViewBacking<Value> {
        let accessors = PropertyAccessors(owner: self, keyPath: keyPath)
        var byAccessors: ViewBacking<Value> { ViewBacking(object: self, keyPath: keyPath, accessors) }
        guard case (let identity?, let property)? = firstRead(of: keyPath), identity != .manual else {
            return byAccessors
        }
        if let line = property.line {
            guard property.isNotOverridden, let storage = line(self) as? SharedStorage<Value> else {
                return ViewBacking(
                    object: self, keyPath: keyPath,
                    PropertyAccessors(owner: self, keyPath: keyPath, isShared: true))
            }
            return ViewBacking(
                object: self, keyPath: property.keyPath,
                SharedAccessors(accessors: accessors, storage: storage, identity: identity))
        }
        // A value without a size has no address.
        guard property.isNotOverridden, MemoryLayout<Value>.size > 0 else { return byAccessors }
        return ViewBacking(
            object: self, keyPath: property.keyPath, place: StoragePlace(of: identity, in: self), accessors)
    }

    /// Not available: a property that cannot be set here cannot be changed through a view either.
    @available(*, unavailable, message: "this property cannot be set here, so no view that changes it can be made")
    public func mutable<Value>(_ keyPath: KeyPath<Self, Value>) -> ObservedMutableProperty<Value> {
        fatalError("unavailable")
    }
}
