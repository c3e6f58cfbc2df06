// Lists for usually few elements.

/// Distinct objects in the order in which they were added, unless one of many is removed.
///
/// A few objects, as usual, are searched linearly. Many are found by their identity.
package struct DistinctObjects<Object: AnyObject> {
    package private(set) var elements: ContiguousArray<Object>
    /// Their places in `elements`, if there are many.
    private var places: [ObjectIdentifier: Int]?

    private static var few: Int { 8 }

    /// Creates a list of distinct objects.
    package init(_ elements: ContiguousArray<Object> = []) {
        self.elements = elements
        places = elements.count > Self.few ? Self.places(of: elements) : nil
    }

    private static func places(of elements: ContiguousArray<Object>) -> [ObjectIdentifier: Int] {
        Dictionary(uniqueKeysWithValues: elements.enumerated().map { (ObjectIdentifier($1), $0) })
    }

    private func place(of object: Object) -> Int? {
        guard let places else {
            for index in elements.indices where elements[index] === object { return index }
            return nil
        }
        return places[ObjectIdentifier(object)]
    }

    package func contains(_ object: Object) -> Bool { place(of: object) != nil }

    /// Whether one of them matches.
    @inline(__always)
    func contains(_ matches: (Unretained<Object>) -> Bool) -> Bool {
        for index in elements.indices where matches(Unretained(elements[index])) { return true }
        return false
    }

    /// Removes all, and keeps the capacity.
    mutating func removeAll() {
        while !elements.isEmpty { elements.removeLast() }
        places = nil
    }

    /// Adds an object, unless it is there.
    package mutating func append(_ object: Object) {
        if contains(object) { return }
        elements.append(object)
        if places != nil {
            places?[ObjectIdentifier(object)] = elements.count - 1
        } else if elements.count > Self.few {
            places = Self.places(of: elements)
        }
    }

    package mutating func remove(_ object: Object) {
        guard let place = place(of: object) else { return }
        if places == nil {
            elements.remove(at: place)
            return
        }
        places?[ObjectIdentifier(object)] = nil
        // The last one replaces it.
        let last = elements.removeLast()
        if last === object { return }
        elements[place] = last
        places?[ObjectIdentifier(last)] = place
    }
}

/// A queue, which removes its first element in constant time.
@usableFromInline
package struct WaitingLine<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    /// The elements before it have been removed.
    @usableFromInline var start = 0

    @usableFromInline
    package init() {}

    package var count: Int { elements.count - start }
    package var all: ContiguousArray<Element> { ContiguousArray(elements[start...].compactMap { $0 }) }
    @inlinable package var isEmpty: Bool { elements.count == start }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Puts an element before all others.
    package mutating func prepend(_ element: Element) { elements.insert(element, at: start) }

    /// Removes the first element.
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[start].take()
        start += 1
        // The removed part is never longer than the rest.
        if start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }

    /// Removes the matching elements, and returns them in their order.
    package mutating func removeAll(where matches: (Element) -> Bool) -> ContiguousArray<Element> {
        let rest = all
        elements = ContiguousArray(rest.lazy.filter { !matches($0) })
        start = 0
        return rest.filter(matches)
    }

    /// The last element that matches.
    func last(where matches: (Element) -> Bool) -> Element? {
        elements[start...].last { $0.map(matches) ?? false } ?? nil
    }

    /// Removes the last element.
    package mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }
}
