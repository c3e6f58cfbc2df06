// The mutating methods of the view of a set.

/// A live view of an observed set, such as `person.mutable(\.friends)`.
///
/// It is a `Collection` and has the methods of a set that change it. Changes have no `indexes`; they carry the members
/// that really come or go. See ``ObservedMutableProperty``.
public typealias ObservedMutableSet<Element: Hashable> = ObservedMutableProperty<Set<Element>>

extension ObservedMutableProperty where Value: SetAlgebra & Collection, Value.ArrayLiteralElement == Value.Element {
    // MARK: One member

    /// Whether an element is a member now.
    public func contains(_ member: Value.Element) -> Bool { value.contains(member) }

    /// Adds a member: an insertion, or nothing if it is there.
    ///
    /// - Returns: Whether it was added, and the member that is there now.
    @inlinable @discardableResult
    public func insert(_ member: Value.Element) -> (inserted: Bool, memberAfterInsert: Value.Element) {
        asStep {
            if let present = self.member(equalTo: member) { return (false, present) }
            change(.insertion, inserting: [member])
            return (true, member)
        }
    }

    /// Adds a member, in place of an equal one if there is one: an insertion, or a replacement of the equal one.
    ///
    /// - Returns: The member whose place it took.
    @inlinable @discardableResult
    public func update(with member: Value.Element) -> Value.Element? {
        asStep {
            guard let present = self.member(equalTo: member) else {
                change(.insertion, inserting: [member])
                return nil
            }
            change(.replacement, removing: [present], inserting: [member])
            return present
        }
    }

    /// Removes a member: a removal, or nothing if it is not there.
    ///
    /// - Returns: The member that was removed.
    @inlinable @discardableResult
    public func remove(_ member: Value.Element) -> Value.Element? {
        asStep {
            guard let present = self.member(equalTo: member) else { return nil }
            change(.removal, removing: [present])
            return present
        }
    }

    /// Removes all members: one removal, or nothing if there are none.
    @inlinable
    public func removeAll() {
        asStep {
            change(.removal, removing: backing.current) { $0 = Value() }
        }
    }

    /// Removes all members: one removal, or nothing if there are none.
    ///
    /// - Parameter keepCapacity: Whether the set keeps its capacity.
    @inlinable
    public func removeAll<Element>(keepingCapacity keepCapacity: Bool) where Value == Set<Element> {
        asStep {
            change(.removal, removing: backing.current) { $0.removeAll(keepingCapacity: keepCapacity) }
        }
    }

    // MARK: Several members

    /// Adds the members of a sequence: one insertion of those that were not there, or nothing if all were.
    @inlinable
    public func formUnion(_ other: some Sequence<Value.Element>) {
        asStep {
            change(.insertion, inserting: newcomers(in: other))
        }
    }

    /// Removes the members of a sequence: one removal of those that were there, or nothing if none was.
    @inlinable
    public func subtract(_ other: some Sequence<Value.Element>) {
        asStep {
            change(.removal, removing: members(in: other))
        }
    }

    /// Removes all but the members of a sequence: one removal of those that leave, or nothing if none does.
    @inlinable
    public func formIntersection(_ other: some Sequence<Value.Element>) {
        asStep {
            change(.removal, removing: backing.current.subtracting(Value(other)))
        }
    }

    /// Removes the members that a sequence also has, and adds the other elements of the sequence.
    ///
    /// It is a removal, then an insertion. Either is left out if it concerns no member.
    @inlinable
    public func formSymmetricDifference(_ other: some Sequence<Value.Element>) {
        asStep {
            let other = Value(other)
            let common = members(in: other)
            asOneChange {
                change(.removal, removing: common)
                change(.insertion, inserting: newcomers(in: other.subtracting(common)))
            }
        }
    }

    /// Makes the set equal to another one: one replacement of the members that only one of them has, or nothing if they
    /// are equal.
    ///
    /// Assigning the property, or its ``value``, is a setting of the whole instead.
    @inlinable
    public func set(_ members: Value) {
        asStep {
            let removed = backing.current.subtracting(members)
            change(.replacement, removing: removed, inserting: members.subtracting(backing.current))
        }
    }

    // MARK: How changes are made

    // These functions release the set before the change, which would otherwise copy it.

    @inlinable
    func member(equalTo element: Value.Element) -> Value.Element? {
        members(in: CollectionOfOne(element)).first
    }

    /// The members that are in a sequence, too.
    @inlinable
    func members(in other: some Sequence<Value.Element>) -> Value {
        let current = backing.current
        let common = Value(other.filter { current.contains($0) })
        return common.isEmpty ? common : current.intersection(common)
    }

    /// The elements of a sequence that are not members.
    @inlinable
    func newcomers(in other: some Sequence<Value.Element>) -> Value {
        let current = backing.current
        return Value(other.filter { !current.contains($0) })
    }

    /// Makes one change, unless no member is inserted or removed.
    ///
    /// - Parameters:
    ///   - kind: Insertion, removal or replacement.
    ///   - removed: The removed members.
    ///   - inserted: The inserted members.
    ///   - removeAll: Removes all members, if the change does.
    @inlinable
    func change(
        _ kind: KeyValueChange, removing removed: Value = [], inserting inserted: Value = [],
        removeAll: ((inout Value) -> Void)? = nil
    ) {
        guard !removed.isEmpty || !inserted.isEmpty else { return }
        backing.makeChange(
            PlannedEdit(kind, at: nil, with: kind == .removal ? nil : inserted),
            old: { _ in kind == .insertion ? nil : removed },
            apply: { value in
                if let removeAll { return removeAll(&value) }
                for member in removed { value.remove(member) }
                for member in inserted { value.insert(member) }
            })
    }
}
