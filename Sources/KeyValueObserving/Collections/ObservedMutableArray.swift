// The mutating methods of the view of an array.

/// A live view of an observed array, such as `person.mutable(\.tags)`.
///
/// It is a `RandomAccessCollection` and a `MutableCollection`, and has the methods of an array that change it. See
/// ``ObservedMutableProperty``.
public typealias ObservedMutableArray<Element> = ObservedMutableProperty<[Element]>

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    // MARK: One element

    /// Adds an element at the end: an insertion.
    @inlinable
    public func append(_ element: Value.Element) {
        asStep {
            let end = currentBounds.upperBound
            // The element is added at the end, which a handler with `.prior` may have moved.
            backing.makeChange(
                PlannedEdit(.insertion, at: .range(end..<(end + 1)), with: Value(CollectionOfOne(element))),
                old: { _ in nil }, apply: { $0.append(element) })
        }
    }

    /// Inserts an element before the one at a position, or at the end.
    ///
    /// - Precondition: `position` is that of an element, or the end.
    @inlinable
    public func insert(_ element: Value.Element, at position: Int) {
        asStep {
            change(.insertion, at: .range(positions(from: position, count: 1)), to: Value(CollectionOfOne(element)))
        }
    }

    /// Removes the element at a position, and returns it.
    ///
    /// - Precondition: `position` is that of an element.
    @inlinable @discardableResult
    public func remove(at position: Int) -> Value.Element {
        asStep {
            let bounds = currentBounds
            let range = positions(from: position, count: 1)
            check(range, bounds)
            let element = self[position]
            change(.removal, at: .range(range), in: bounds)
            // The element is released after the access, even if the caller ignores it.
            return withExtendedLifetime(element) { element }
        }
    }

    /// Removes the first element, and returns it.
    ///
    /// - Precondition: The array is not empty.
    @inlinable @discardableResult
    public func removeFirst() -> Value.Element {
        asStep { remove(at: currentBounds.lowerBound) }
    }

    /// Removes the last element, and returns it.
    ///
    /// - Precondition: The array is not empty.
    @inlinable @discardableResult
    public func removeLast() -> Value.Element {
        asStep { remove(at: currentBounds.upperBound - 1) }
    }

    /// Removes the last element, and returns it; nil if there is none.
    @inlinable @discardableResult
    public func popLast() -> Value.Element? {
        asStep { currentBounds.isEmpty ? nil : removeLast() }
    }

    // MARK: Several elements

    /// Adds elements at the end: one insertion, or nothing if there are none.
    @inlinable
    public func append(contentsOf elements: some Sequence<Value.Element>) {
        asStep {
            let (elements, end) = (Value(elements), currentBounds.upperBound)
            change(.insertion, at: .range(positions(from: end, count: elements.count)), to: elements) {
                $0.append(contentsOf: elements)
            }
        }
    }

    /// Inserts elements before the one at a position, or at the end: one insertion, or nothing if there are none.
    ///
    /// - Precondition: `position` is that of an element, or the end.
    @inlinable
    public func insert(contentsOf elements: some Collection<Value.Element>, at position: Int) {
        asStep {
            let elements = Value(elements)
            change(.insertion, at: .range(positions(from: position, count: elements.count)), to: elements)
        }
    }

    /// Removes the first elements: one removal, or nothing if there are none to remove.
    ///
    /// - Parameter count: The number of elements to remove.
    /// - Precondition: The array has at least `count` elements.
    @inlinable
    public func removeFirst(_ count: Int) {
        asStep {
            let bounds = currentBounds
            change(.removal, at: .range(positions(from: bounds.lowerBound, count: count)), in: bounds)
        }
    }

    /// Removes the last elements: one removal, or nothing if there are none to remove.
    ///
    /// - Parameter count: The number of elements to remove.
    /// - Precondition: The array has at least `count` elements.
    @inlinable
    public func removeLast(_ count: Int) {
        asStep {
            let bounds = currentBounds
            let (start, overflows) = bounds.upperBound.subtractingReportingOverflow(count)
            if count < 0 || overflows { trap(count, bounds) }
            change(.removal, at: .range(start..<bounds.upperBound), in: bounds)
        }
    }

    /// Removes the elements in a range: one removal, or nothing if the range is empty.
    ///
    /// - Precondition: The range lies within the array.
    @inlinable
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        asStep {
            change(.removal, at: .range(relative(range)))
        }
    }

    /// Removes all elements: one removal, or nothing if there are none.
    ///
    /// - Parameter keepCapacity: Whether the array keeps its capacity.
    @inlinable
    public func removeAll(keepingCapacity keepCapacity: Bool = false) {
        asStep {
            let bounds = currentBounds
            guard !bounds.isEmpty else { return }
            backing.makeChange(
                PlannedEdit(.removal, at: .range(bounds), with: nil), old: { $0 },
                apply: { value in
                    // The rest of a slice begins where the slice did.
                    if value.startIndex == Value().startIndex {
                        value.removeAll(keepingCapacity: keepCapacity)
                    } else {
                        value.removeSubrange(value.startIndex..<value.endIndex)
                    }
                })
        }
    }

    /// Removes the elements that satisfy a condition: one removal, or nothing if none does.
    ///
    /// - Parameter shouldBeRemoved: Returns whether to remove an element. It is called for all elements before the
    ///   first is removed. If it changes the array, that traps.
    @inlinable
    public func removeAll(where shouldBeRemoved: (Value.Element) throws -> Bool) rethrows {
        try asStep {
            let (_, positions) = try snapshot { value in
                var positions = RangeSet<Int>()
                for position in value.indices where try shouldBeRemoved(value[position]) {
                    positions.insert(contentsOf: position..<(position + 1))
                }
                return positions
            }
            removeSubranges(positions)
        }
    }

    /// Replaces the elements in a range by any number of others.
    ///
    /// It is a replacement of as many elements as both sides have, and then an insertion or a removal of the rest. If
    /// both are needed, these are two changes, one after the other, and handlers called in between see the property
    /// with the first one made. If both sides are empty, nothing happens.
    ///
    /// - Parameters:
    ///   - range: The old elements' positions.
    ///   - elements: The new elements.
    /// - Precondition: The range lies within the array.
    @inlinable
    public func replaceSubrange(_ range: some RangeExpression<Int>, with elements: some Collection<Value.Element>) {
        asStep {
            let range = relative(range)
            check(range, currentBounds)
            let elements = Value(elements)
            let split = range.lowerBound + Swift.min(range.count, elements.count)
            let replaced = range.lowerBound..<split
            asOneChange {
                change(.replacement, at: .range(replaced), to: Value(elements.prefix(replaced.count)))
                // A handler called for the removal may have removed more.
                let bounds = currentBounds
                let rest = Value(elements.dropFirst(replaced.count))
                if rest.isEmpty {
                    change(.removal, at: .range((split..<range.upperBound).clamped(to: bounds)), in: bounds)
                } else {
                    let start = Swift.min(split, bounds.upperBound)
                    change(.insertion, at: .range(start..<(start + rest.count)), to: rest, in: bounds)
                }
            }
        }
    }
}
