// Views of to-many properties by key path.

extension KeyValueObservable {
    /// A live view of an array property, whose changes carry the elements concerned and their positions.
    ///
    /// For an ``Observed`` property it is what `$` gives: `person.mutableArrayValue(for: \.tags)` and `person.$tags`
    /// are two views of the same. For a computed property each change sets the property once, and its observers get the
    /// elements concerned, unless its setter keeps something else than it is given. Such a change takes time for all
    /// elements. (Foundation calls this `mutableArrayValue(forKey:)`.)
    ///
    /// - Parameter keyPath: The property, from this object.
    /// - Returns: A view that keeps this object alive.
    public func mutableArrayValue<Element>(
        for keyPath: ReferenceWritableKeyPath<Self, [Element]>
    ) -> ObservedMutableArray<Element> { ObservedProperty(viewOf: keyPath, of: self) }

    /// A live view of a set property, whose changes carry the members that come and go.
    ///
    /// See ``mutableArrayValue(for:)``. (Foundation calls this `mutableSetValue(forKey:)`.)
    ///
    /// - Parameter keyPath: The property, from this object.
    /// - Returns: A view that keeps this object alive.
    public func mutableSetValue<Element>(
        for keyPath: ReferenceWritableKeyPath<Self, Set<Element>>
    ) -> ObservedMutableSet<Element> { ObservedProperty(viewOf: keyPath, of: self) }

    /// A live view of a dictionary property, whose changes carry the entries concerned.
    ///
    /// See ``mutableArrayValue(for:)``.
    ///
    /// - Parameter keyPath: The property, from this object.
    /// - Returns: A view that keeps this object alive.
    public func mutableDictionaryValue<Key, Element>(
        for keyPath: ReferenceWritableKeyPath<Self, [Key: Element]>
    ) -> ObservedMutableDictionary<Key, Element> { ObservedProperty(viewOf: keyPath, of: self) }
}

extension ObservedProperty {
    /// Views a property where its value is stored, or through its accessors if that is not the value they return.
    fileprivate init<Object: KeyValueObservable>(
        viewOf keyPath: ReferenceWritableKeyPath<Object, Value>, of object: Object
    ) {
        let tracker = StorageTracker<Value>(root: object, keyPath: keyPath)
        let value = tracker.tracking { object[keyPath: keyPath] }
        if let reach = tracker.reach, isSameCopy(reach.current, value) {
            self.init(reach)
        } else {
            self.init(AccessorReach(object: object, keyPath: keyPath))
        }
    }
}
