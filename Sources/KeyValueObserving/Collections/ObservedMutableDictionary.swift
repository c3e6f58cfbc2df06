// The mutating methods of the view of a dictionary.

/// A live view of an observed dictionary, such as `person.mutable(\.notes)`.
///
/// Its subscript by key, and the other methods of a dictionary that change it, report the entries concerned: an
/// insertion of new keys, a removal, or a replacement of the values of keys. Changes have no `indexes`. See
/// ``ObservedMutableProperty``.
public typealias ObservedMutableDictionary<Key: Hashable, Element> = ObservedMutableProperty<[Key: Element]>

extension ObservedMutableProperty {
    /// The value of a key; setting it is an insertion, a replacement or, with nil, a removal.
    ///
    /// Removing a key that is not there is no change.
    public subscript<Key: Hashable, Element>(key: Key) -> Element? where Value == [Key: Element] {
        get { value[key] }
        nonmutating set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
        }
    }

    /// The value of a key, or a default value if the key is not there; setting it is an insertion or a replacement.
    ///
    /// An access in place, `view["a", default: 0] += 1`, reads the value and sets it: one change.
    public subscript<Key: Hashable, Element>(
        key: Key, default defaultValue: @autoclosure () -> Element
    ) -> Element where Value == [Key: Element] {
        get { value[key] ?? defaultValue() }
        nonmutating set { updateValue(newValue, forKey: key) }
    }

    /// Sets the value of a key: an insertion, or a replacement if the key is there.
    ///
    /// - Returns: The value that was replaced.
    @inlinable @discardableResult
    public func updateValue<Key: Hashable, Element>(
        _ element: Element, forKey key: Key
    ) -> Element? where Value == [Key: Element] {
        asStep {
            let old = backing.current[key]
            change(
                old == nil ? .insertion : .replacement, removing: old.map { [key: $0] } ?? [:],
                inserting: [key: element])
            return old
        }
    }

    /// Removes a key and its value: a removal, or nothing if the key is not there.
    ///
    /// - Returns: The value that was removed.
    @inlinable @discardableResult
    public func removeValue<Key: Hashable, Element>(forKey key: Key) -> Element? where Value == [Key: Element] {
        asStep {
            guard let old = backing.current[key] else { return nil }
            change(.removal, removing: [key: old])
            return old
        }
    }

    /// Removes all keys: one removal, or nothing if there are none.
    ///
    /// - Parameter keepCapacity: Whether the dictionary keeps its capacity.
    @inlinable
    public func removeAll<Key: Hashable, Element>(
        keepingCapacity keepCapacity: Bool = false
    ) where Value == [Key: Element] {
        asStep {
            change(.removal, removing: backing.current, keepingCapacity: keepCapacity)
        }
    }

    /// Makes the dictionary equal to another one: one replacement of all entries, or nothing if both are empty.
    ///
    /// Values are not compared, so an entry that both have is replaced, too. Assigning the property, or its ``value``,
    /// is a setting of the whole instead.
    @inlinable
    public func set<Key: Hashable, Element>(_ entries: [Key: Element]) where Value == [Key: Element] {
        asStep {
            change(.replacement, removing: backing.current, inserting: entries)
        }
    }

    /// Adds the entries of another dictionary: one insertion if all keys are new, otherwise one replacement, or nothing
    /// if there are no entries.
    ///
    /// - Parameters:
    ///   - other: The entries.
    ///   - combine: Returns the value for a key that is there. It gets the value there and the other one, and is called
    ///     before anything changes.
    @inlinable
    public func merge<Key: Hashable, Element>(
        _ other: [Key: Element], uniquingKeysWith combine: (Element, Element) throws -> Element
    ) rethrows where Value == [Key: Element] {
        try asStep {
            let old = entries(in: other)
            let new = try other.merging(old) { try combine($1, $0) }
            change(old.isEmpty ? .insertion : .replacement, removing: old, inserting: new)
        }
    }

    /// The entries whose keys another dictionary has, too.
    @inlinable
    func entries<Key: Hashable, Element>(in other: [Key: Element]) -> Value where Value == [Key: Element] {
        // The function releases the dictionary before the change, which would otherwise copy it.
        let current = backing.current
        return other.reduce(into: [:]) { $0[$1.key] = current[$1.key] }
    }

    /// Makes one change, unless no entry is inserted or removed.
    ///
    /// - Parameters:
    ///   - kind: Insertion, removal or replacement.
    ///   - removed: The removed entries.
    ///   - inserted: The inserted entries.
    ///   - keepCapacity: If all entries are removed, whether the capacity stays.
    @inlinable
    func change<Key: Hashable, Element>(
        _ kind: KeyValueChange, removing removed: [Key: Element] = [:], inserting inserted: [Key: Element] = [:],
        keepingCapacity keepCapacity: Bool? = nil
    ) where Value == [Key: Element] {
        guard !removed.isEmpty || !inserted.isEmpty else { return }
        backing.makeChange(
            PlannedEdit(kind, at: nil, with: kind == .removal ? nil : inserted),
            old: { _ in kind == .insertion ? nil : removed },
            apply: { value in
                if let keepCapacity { return value.removeAll(keepingCapacity: keepCapacity) }
                for key in removed.keys { value[key] = nil }
                for (key, element) in inserted { value[key] = element }
            })
    }
}
