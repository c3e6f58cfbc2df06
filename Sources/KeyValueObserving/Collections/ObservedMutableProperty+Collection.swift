// A view of a collection is a collection.

extension ObservedMutableProperty: Sequence where Value: Sequence {
    /// Goes through the elements as they are now; what changes while it does is not seen.
    public func makeIterator() -> Value.Iterator { value.makeIterator() }

    /// That of the current value.
    public var underestimatedCount: Int { value.underestimatedCount }
}

extension ObservedMutableProperty: Collection where Value: Collection {
    /// The position of the first element.
    public var startIndex: Value.Index {
        if backing.convertedCount() != nil, let index = 0 as? Value.Index { return index }
        return value.startIndex
    }

    /// The position after the last element.
    public var endIndex: Value.Index {
        if let index = backing.convertedCount() as? Value.Index { return index }
        return value.endIndex
    }

    /// The positions there are now.
    public var indices: Value.Indices {
        if let count = backing.convertedCount(), let indices = 0..<count as? Value.Indices { return indices }
        return value.indices
    }

    /// The element at a position, as it is now.
    public subscript(position: Value.Index) -> Value.Element { element(at: position) }

    private func element(at position: Value.Index) -> Value.Element {
        guard let position = position as? Int,
            let elements = backing.convertedElements(at: .range(position..<(position + 1)))
        else { return value[position] }
        return elements[elements.startIndex]
    }

    /// The position after another one.
    public func index(after index: Value.Index) -> Value.Index {
        self.index(index, offsetBy: 1)
    }

    /// The position a number of elements further on.
    public func index(_ index: Value.Index, offsetBy distance: Int) -> Value.Index {
        if let index = index as? Int, let result = index + distance as? Value.Index, backing.convertedCount() != nil {
            return result
        }
        return value.index(index, offsetBy: distance)
    }

    /// How many elements lie between two positions.
    public func distance(from start: Value.Index, to end: Value.Index) -> Int {
        if let start = start as? Int, let end = end as? Int, backing.convertedCount() != nil { return end - start }
        return value.distance(from: start, to: end)
    }

    /// The number of elements now.
    public var count: Int { backing.convertedCount() ?? value.count }

    /// Whether there are no elements now.
    public var isEmpty: Bool { count == 0 }
}

extension ObservedMutableProperty: BidirectionalCollection where Value: BidirectionalCollection {
    /// The position before another one.
    public func index(before index: Value.Index) -> Value.Index {
        self.index(index, offsetBy: -1)
    }
}

extension ObservedMutableProperty: RandomAccessCollection where Value: RandomAccessCollection {}

extension ObservedMutableProperty: MutableCollection
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// The element at a position; setting it is a replacement of this element.
    public subscript(position: Int) -> Value.Element {
        get { element(at: position) }
        nonmutating set {
            asStep {
                change(
                    .replacement, at: .range(positions(from: position, count: 1)), to: Value(CollectionOfOne(newValue)))
            }
        }
    }

    /// Exchanges two elements; exchanging one with itself is no change.
    public nonmutating func swapAt(_ first: Int, _ second: Int) {
        asStep {
            let bounds = currentBounds
            let (firstRange, secondRange) = (positions(from: first, count: 1), positions(from: second, count: 1))
            guard first != second else { return check(firstRange, bounds) }
            let positions = Positions.set(RangeSet([firstRange, secondRange]))
            check(.replacement, at: positions, bounds)
            let elements = currentElements(at: positions)
            change(.replacement, at: positions, to: Value(elements.reversed()), in: bounds) { value in
                // A prior handler changed the array: what stands there now is exchanged.
                if value.indices.contains(first), value.indices.contains(second) { value.swapAt(first, second) }
            }
        }
    }

    /// The elements in a range; setting them is what `replaceSubrange` does.
    public subscript(range: Range<Int>) -> Slice<Self> {
        get { Slice(base: self, bounds: range) }
        nonmutating set {
            // A slice of this view that was changed in place has changed the property already.
            if newValue.base.backing === backing, newValue.startIndex..<newValue.endIndex == range { return }
            replaceSubrange(range, with: newValue)
        }
    }
}
