// A first-in, first-out line.

/// Elements in the order in which they were appended; the first one is taken in constant time.
@usableFromInline
package struct WaitingLine<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    /// Those before it have been taken.
    @usableFromInline var start = 0

    @usableFromInline
    package init() {}

    package var count: Int { elements.count - start }
    @inlinable package var isEmpty: Bool { elements.count == start }

    package var first: Element? { isEmpty ? nil : elements[start] }
    package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Puts an element before all others.
    package mutating func prepend(_ element: Element) { elements.insert(element, at: start) }

    /// Takes the first element.
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[start].take()
        start += 1
        // What has been taken is as long as the rest, at most.
        if start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }

    /// Takes the last element.
    package mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }
}
