// The mutating methods of the view of an array that rearrange its elements.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Reverses the order: one replacement of the elements that move, or nothing if none does.
    @inlinable
    public func reverse() {
        rearrange { places, _ in places.reverse() }
    }

    /// Sorts the elements: one replacement of those that move, or nothing if none does.
    ///
    /// Equal elements keep their order. It takes time and memory for all elements.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether an element comes before another. It is called before the first
    ///   element moves. If it changes the array, that traps.
    @inlinable
    public func sort(by areInIncreasingOrder: (Value.Element, Value.Element) throws -> Bool) rethrows {
        try rearrange { places, value in
            try places.sort { left, right in
                if try areInIncreasingOrder(value[left], value[right]) { return true }
                return try left < right && !areInIncreasingOrder(value[right], value[left])
            }
        }
    }

    /// Sorts the elements: one replacement of those that move, or nothing if none does.
    ///
    /// Equal elements keep their order. It takes time and memory for all elements.
    @inlinable
    public func sort() where Value.Element: Comparable {
        sort(by: <)
    }

    /// Moves the elements to other places.
    @inlinable
    func rearrange(_ body: (inout [Int], Value) throws -> Void) rethrows {
        try asStep {
            let (value, places) = try snapshot { value in
                var places = Array(value.startIndex..<value.endIndex)
                try body(&places, value)
                return places
            }
            let bounds = value.startIndex..<value.endIndex
            var changed = RangeSet<Int>()
            var elements = Value()
            for (place, origin) in zip(bounds, places) where place != origin {
                changed.insert(contentsOf: place..<(place + 1))
                elements.append(value[origin])
            }
            withoutActuallyEscaping(body) { body in
                change(.replacement, at: .set(changed), to: elements, in: bounds) { current in
                    // A handler with `.prior` may have changed the array.
                    var places = current.count == bounds.count ? places : Array(current.indices)
                    if current.count != bounds.count, (try? body(&places, current)) == nil { return }
                    current.replaceSubrange(current.startIndex..<current.endIndex, with: places.map { current[$0] })
                }
            }
        }
    }
}
