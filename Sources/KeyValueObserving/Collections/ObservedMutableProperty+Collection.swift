// A view of a collection is a collection.

extension ObservedMutableProperty: Sequence where Value: Sequence {
    /// Iterates over the elements as they are now; the iterator does not see changes made meanwhile.
    public func makeIterator() -> Value.Iterator { value.makeIterator() }

    /// The underestimated count of the current value.
    public var underestimatedCount: Int { value.underestimatedCount }
}

extension ObservedMutableProperty: Collection where Value: Collection {
    /// The position of the first element.
    public var startIndex: Value.Index { value.startIndex }

    /// The position after the last element.
    public var endIndex: Value.Index { value.endIndex }

    /// The current positions.
    public var indices: Value.Indices { value.indices }

    /// The element at a position, as it is now.
    public subscript(position: Value.Index) -> Value.Element { value[position] }

    /// The position after another one.
    public func index(after index: Value.Index) -> Value.Index { value.index(after: index) }

    /// The position a number of elements further on.
    public func index(_ index: Value.Index, offsetBy distance: Int) -> Value.Index {
        value.index(index, offsetBy: distance)
    }

    /// How many elements lie between two positions.
    public func distance(from start: Value.Index, to end: Value.Index) -> Int { value.distance(from: start, to: end) }

    /// The number of elements now.
    public var count: Int { value.count }

    /// Whether there are no elements now.
    public var isEmpty: Bool { value.isEmpty }
}

extension ObservedMutableProperty: BidirectionalCollection where Value: BidirectionalCollection {
    /// The position before another one.
    public func index(before index: Value.Index) -> Value.Index { value.index(before: index) }
}

extension ObservedMutableProperty: RandomAccessCollection where Value: RandomAccessCollection {}

extension ObservedMutableProperty: MutableCollection
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// The element at a position; setting it is a replacement of this element.
    public subscript(position: Int) -> Value.Element {
        get { value[position] }
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
                // A handler with `.prior` changed the array, so the current elements are exchanged.
                if value.indices.contains(first), value.indices.contains(second) { value.swapAt(first, second) }
            }
        }
    }

    /// The elements in a range; setting them works like `replaceSubrange`.
    public subscript(range: Range<Int>) -> Slice<Self> {
        get { Slice(base: self, bounds: range) }
        nonmutating set {
            // A slice of this view that was changed in place has changed the property already.
            if newValue.base.backing === backing, newValue.startIndex..<newValue.endIndex == range { return }
            replaceSubrange(range, with: newValue)
        }
    }
}
