// Which objects are in a collection, and how often.

/// Counts how often each object is in a collection, which may have one at several places.
struct Membership<Element: AnyObject> {
    /// Who came and who is gone after a change, each once and in the order of the collection.
    struct Step {
        var arrived: [Element] = []
        var left: [Element] = []
    }

    private struct Member {
        /// Held, so that no other object has its address meanwhile.
        let element: Element
        var count: Int
        /// When it came, for the order in which members leave together.
        let number: Int
    }

    private var members: [ObjectIdentifier: Member] = [:]
    private var lastNumber = 0

    func contains(_ element: Element) -> Bool { members[ObjectIdentifier(element)] != nil }

    /// Notes that some elements were taken out and others were put in, at once.
    ///
    /// - Complexity: That of their number.
    mutating func exchange(_ old: [Element], for new: [Element]) -> Step {
        var step = Step()
        // What is taken out and put in again stays.
        for element in new where add(element) { step.arrived.append(element) }
        for element in old where remove(element) { step.left.append(element) }
        return step
    }

    /// Notes that the collection was set as a whole.
    ///
    /// - Complexity: That of the number of its elements, old and new.
    mutating func replace(with new: [Element]) -> Step {
        let before = members
        members = [:]
        var step = Step()
        for element in new {
            let id = ObjectIdentifier(element)
            if members[id] == nil, let known = before[id] {
                members[id] = Member(element: known.element, count: 1, number: known.number)
            } else if add(element) {
                step.arrived.append(element)
            }
        }
        step.left = before.filter { members[$0.key] == nil }.values.sorted { $0.number < $1.number }.map(\.element)
        return step
    }

    /// Whether it was not there before.
    private mutating func add(_ element: Element) -> Bool {
        let id = ObjectIdentifier(element)
        members[id]?.count += 1
        guard members[id] == nil else { return false }
        lastNumber += 1
        members[id] = Member(element: element, count: 1, number: lastNumber)
        return true
    }

    /// Whether it is not there any more.
    private mutating func remove(_ element: Element) -> Bool {
        let id = ObjectIdentifier(element)
        guard let count = members[id]?.count else { return false }
        members[id]?.count = count - 1
        guard count == 1 else { return false }
        members[id] = nil
        return true
    }
}
