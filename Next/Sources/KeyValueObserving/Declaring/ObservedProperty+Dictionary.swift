// Reading a dictionary through a view.

extension ObservedProperty {
    /// The value of a key now; nil if the key is not there.
    public subscript<Key: Hashable, Element>(key: Key) -> Element? where Value == [Key: Element] { value[key] }

    /// The value of a key now, or a default value where the key is not there.
    public subscript<Key: Hashable, Element>(
        key: Key, default defaultValue: @autoclosure () -> Element
    ) -> Element where Value == [Key: Element] { value[key] ?? defaultValue() }

    /// The keys there are now.
    public func keys<Key: Hashable, Element>() -> Value.Keys where Value == [Key: Element] { value.keys }

    /// The values there are now, in the order of the keys.
    public func values<Key: Hashable, Element>() -> Value.Values where Value == [Key: Element] { value.values }
}
