// Lists for a few that may be many.

/// Objects, each once, in the order in which they came, as long as none of many is removed.
///
/// There are few as a rule, and these are searched. Many are found by their identity.
package struct DistinctObjects<Object: AnyObject> {
    package private(set) var elements: ContiguousArray<Object>
    /// Where they are in `elements`, if they are many.
    private var places: [ObjectIdentifier: Int]?

    private static var few: Int { 8 }

    /// A list of objects that are all different.
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

    /// Removes all, and keeps the room.
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
        // The last one takes its place.
        let last = elements.removeLast()
        if last === object { return }
        elements[place] = last
        places?[ObjectIdentifier(last)] = place
    }
}

/// Elements in the order in which they were appended; the first one is taken in constant time.
@usableFromInline
package struct WaitingLine<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    /// Those before it have been taken.
    @usableFromInline var start = 0

    @usableFromInline
    package init() {}

    package var count: Int { elements.count - start }
    package var all: ContiguousArray<Element> { ContiguousArray(elements[start...].compactMap { $0 }) }
    @inlinable package var isEmpty: Bool { elements.count == start }

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

    /// Takes out the elements that match, in the order of the line.
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

    /// Takes the last element.
    package mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }
}
