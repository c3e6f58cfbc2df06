// Counting the objects in a collection.

/// Counts how often each object is in a collection.
package struct Membership<Element: AnyObject> {
    /// The objects that were inserted and removed since the last step.
    package struct Step {
        package var arrived: [Element] = []
        package var left: [Element] = []
        /// Objects inserted and removed again, or removed and inserted again; release them where code of users may run.
        fileprivate var others: [Element] = []
    }

    private struct Member {
        /// The object, retained so that no other object has its address meanwhile.
        let element: Element
        var count: Int
        /// The place in the order of arrivals, for members that arrive or leave together.
        let number: Int
    }

    private var members: [ObjectIdentifier: Member] = [:]
    private var lastNumber = 0
    /// The objects inserted or removed since the last step, each once, and whether each was there at that step.
    private var touched: [(element: Element, number: Int, wasThere: Bool)] = []
    private var touchedIdentities: Set<ObjectIdentifier> = []

    package init() {}

    func contains(_ element: Element) -> Bool { members[ObjectIdentifier(element)] != nil }

    /// Follows a change of the collection.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - old: The removed elements; not needed for a setting.
    ///   - new: The inserted elements; for a setting, all.
    /// - Returns: The objects that arrived or left.
    /// - Complexity: Linear in the number of these elements, and for a setting, also of those before it.
    package mutating func follow(_ kind: KeyValueChange, _ old: [Element], _ new: [Element]) -> Step {
        if kind == .setting { replace(with: new) } else { exchange(old, for: new) }
        return takeStep()
    }

    /// Records that some elements replaced others.
    private mutating func exchange(_ old: [Element], for new: [Element]) {
        for element in new { add(element) }
        for element in old { remove(element) }
    }

    /// Records that the collection was set as a whole.
    private mutating func replace(with new: [Element]) {
        let before = members
        members = [:]
        for element in new {
            let id = ObjectIdentifier(element)
            if members[id] == nil, let known = before[id] {
                members[id] = Member(element: known.element, count: 1, number: known.number)
            } else {
                add(element)
            }
        }
        for (id, member) in before where members[id] == nil { touch(member.element, member.number, wasThere: true) }
    }

    /// Returns the difference since the last step, without objects inserted and removed again, or removed and inserted
    /// again.
    private mutating func takeStep() -> Step {
        var step = Step()
        for (element, _, wasThere) in touched.sorted(by: { $0.number < $1.number }) {
            switch (wasThere, contains(element)) {
            case (true, false): step.left.append(element)
            case (false, true): step.arrived.append(element)
            default: step.others.append(element)
            }
        }
        (touched, touchedIdentities) = ([], [])
        return step
    }

    private mutating func add(_ element: Element) {
        let id = ObjectIdentifier(element)
        members[id]?.count += 1
        guard members[id] == nil else { return }
        lastNumber += 1
        members[id] = Member(element: element, count: 1, number: lastNumber)
        touch(element, lastNumber, wasThere: false)
    }

    private mutating func remove(_ element: Element) {
        let id = ObjectIdentifier(element)
        guard let member = members[id] else { return }
        members[id]?.count -= 1
        if member.count > 1 { return }
        members[id] = nil
        touch(element, member.number, wasThere: true)
    }

    private mutating func touch(_ element: Element, _ number: Int, wasThere: Bool) {
        if touchedIdentities.insert(ObjectIdentifier(element)).inserted { touched.append((element, number, wasThere)) }
    }
}
