// The mutating methods of the view of an array that rearrange its elements.

extension ObservedProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Reverses the order: one replacement of the elements that change place, or nothing if none does.
    @inlinable
    public func reverse() {
        rearrange { $0.reverse() }
    }

    /// Sorts the elements: one replacement of those that change place, or nothing if none does.
    ///
    /// Equal elements keep their order. It takes time and memory for all elements.
    ///
    /// - Parameter areInIncreasingOrder: Says whether an element comes before another. It is called before the first
    ///   element changes place.
    @inlinable
    public func sort(by areInIncreasingOrder: (Value.Element, Value.Element) throws -> Bool) rethrows {
        let value = reach.current
        try rearrange { places in
            try places.sort { left, right in
                if try areInIncreasingOrder(value[left], value[right]) { return true }
                return try left < right && !areInIncreasingOrder(value[right], value[left])
            }
        }
    }

    /// Sorts the elements: one replacement of those that change place, or nothing if none does.
    ///
    /// Equal elements keep their order. It takes time and memory for all elements.
    @inlinable
    public func sort() where Value.Element: Comparable {
        sort(by: <)
    }

    /// Shuffles the elements: one replacement of those that change place, or nothing if none does.
    @inlinable
    public func shuffle() {
        rearrange { $0.shuffle() }
    }

    /// Shuffles the elements with a generator: one replacement of those that change place, or nothing if none does.
    @inlinable
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        rearrange { $0.shuffle(using: &generator) }
    }

    /// Gives the elements other places.
    ///
    /// - Parameter body: Rearranges the positions of the elements.
    @inlinable
    func rearrange(_ body: (inout [Int]) throws -> Void) rethrows {
        let bounds = currentBounds
        var places = Array(bounds)
        try body(&places)
        var changed = RangeSet<Int>()
        let value = reach.current
        var elements = Value()
        for (place, origin) in zip(bounds, places) where place != origin {
            changed.insert(contentsOf: place..<(place + 1))
            elements.append(value[origin])
        }
        change(.replacement, at: .set(changed), to: elements)
    }
}
