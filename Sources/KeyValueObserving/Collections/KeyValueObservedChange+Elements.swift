// Applying changes of elements to values whose type is known only at run time.

extension KeyValueObservedChange {
    /// Applies a change of some elements to a value, if the change was made to an equal one.
    ///
    /// The value may differ from the one that changed, after a silent set or an ignored change. Only the positions, the
    /// removed elements and, afterwards, a bounded number of elements are compared, so the cost does not grow with the
    /// collection.
    ///
    /// - Parameters:
    ///   - value: An array, a set, a dictionary, another collection that has a view, or an optional of one.
    ///   - whole: The value after the change, if known.
    /// - Returns: Whether the change was applied; otherwise the value is unchanged.
    func make(in value: inout Value, leadingTo whole: Value? = nil) -> Bool {
        make(in: &value, leadingTo: whole, ifFitting: true)
    }

    /// Applies a change of some elements to a value; traps if it does not fit.
    ///
    /// - Returns: False if the value is not a collection that has a view.
    func makeUnchecked(in value: inout Value) -> Bool { make(in: &value, leadingTo: nil, ifFitting: false) }

    fileprivate func make(in value: inout Value, leadingTo whole: Value?, ifFitting isChecked: Bool) -> Bool {
        func open<Holder: ElementsHolder>(_: Holder.Type) -> Bool {
            // Both names stand for one type.
            unsafe withUnsafeMutablePointer(to: &value) { pointer in
                unsafe pointer.withMemoryRebound(to: Holder.Elements.self, capacity: 1) { elements in
                    unsafe Holder.make(
                        unsafeBitCast(self, to: KeyValueObservedChange<Holder.Elements>.self), in: &elements.pointee,
                        leadingTo: unsafeBitCast(whole, to: Holder.Elements?.self), ifFitting: isChecked)
                }
            }
        }
        return Self.holder.map { open($0) } ?? false
    }

    /// The type that knows the values as a collection; nil if they are not collections with a view.
    private static var holder: (any ElementsHolder.Type)? {
        let holders: [Any.Type] = [Value.self, OrderedHolder<Value>.self, MemberHolder<Value>.self]
        return holders.lazy.compactMap { $0 as? any ElementsHolder.Type }.first
    }

    /// Applies a change of some elements through a view.
    ///
    /// - Returns: False if the values are not collections with a view.
    func make(through view: ObservedMutableProperty<Value>) -> Bool {
        func open<Holder: ElementsHolder>(_: Holder.Type) -> Bool {
            // Both names stand for one type.
            unsafe Holder.make(
                unsafeBitCast(self, to: KeyValueObservedChange<Holder.Elements>.self),
                through: unsafeBitCast(view, to: ObservedMutableProperty<Holder.Elements>.self))
        }
        return Self.holder.map { open($0) } ?? false
    }
}

/// Applies changes of elements to values of one type.
private protocol ElementsHolder<Elements> {
    associatedtype Elements

    static func make(
        _ change: KeyValueObservedChange<Elements>, in elements: inout Elements, leadingTo whole: Elements?,
        ifFitting isChecked: Bool
    ) -> Bool
    static func make(
        _ change: KeyValueObservedChange<Elements>, through view: ObservedMutableProperty<Elements>
    ) -> Bool
}

/// Applies changes of elements to collections of one type.
private protocol CollectionHolder: ElementsHolder {
    /// Whether a change may have been made to these elements, because they contain its positions and the removed
    /// elements.
    static func fits(_ change: KeyValueObservedChange<Elements>, _ elements: Elements) -> Bool
    static func apply(_ change: KeyValueObservedChange<Elements>, to elements: inout Elements)
    static func apply(_ change: KeyValueObservedChange<Elements>, to view: ObservedMutableProperty<Elements>)
    /// Whether two collections are equal, as far as a bounded number of elements tells.
    static func areSame(_ left: Elements, _ right: Elements) -> Bool
}

extension CollectionHolder {
    static func make(
        _ change: KeyValueObservedChange<Elements>, in elements: inout Elements, leadingTo whole: Elements?,
        ifFitting isChecked: Bool
    ) -> Bool {
        if isChecked, !fits(change, elements) { return false }
        apply(change, to: &elements)
        if whole.map({ areSame(elements, $0) }) ?? true { return true }
        if let inverse = change.inverse { apply(inverse, to: &elements) }
        return false
    }

    static func make(
        _ change: KeyValueObservedChange<Elements>, through view: ObservedMutableProperty<Elements>
    ) -> Bool {
        apply(change, to: view)
        return true
    }
}

/// How many elements are compared at each end of a collection.
private let mostCompared = 32

/// Whether two elements are equal, as far as that can be found out.
private func comparison<Element>(_: Element.Type) -> (Element, Element) -> Bool {
    if let equality = Equality<Element>() { return equality.areEqual }
    if Element.self is AnyClass { return { $0 as AnyObject === $1 as AnyObject } }
    return { _, _ in true }
}

private enum OrderedHolder<Elements> {}

extension OrderedHolder: ElementsHolder, CollectionHolder
where Elements: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Elements.Index == Int {
    static func fits(_ change: KeyValueObservedChange<Elements>, _ elements: Elements) -> Bool {
        let ranges = (change.indexes ?? RangeSet()).ranges
        guard let first = ranges.first, let last = ranges.last else { return true }
        let arrived = change.kind == .insertion ? change.newValue?.count ?? 0 : 0
        guard first.lowerBound >= elements.startIndex, last.upperBound <= elements.endIndex + arrived else {
            return false
        }
        guard change.kind != .insertion, let old = change.oldValue else { return true }
        let areEqual = comparison(Elements.Element.self)
        return zip(ranges.joined(), old).allSatisfy { areEqual(elements[$0], $1) }
    }

    static func apply(_ change: KeyValueObservedChange<Elements>, to elements: inout Elements) {
        let positions = change.indexes ?? RangeSet()
        switch change.kind {
        case .removal: elements.remove(standingAt: positions)
        case .insertion:
            let new = change.requiredNewValue
            if let end = positions.ranges.last?.upperBound, end > elements.endIndex + new.count {
                fatalError(
                    """
                    An insertion before \(end) does not fit a copy with the indices \
                    \(elements.startIndex)..<\(elements.endIndex).
                    """)
            }
            elements.insert(new, standingAt: positions)
        case .replacement, .setting:
            for (index, element) in zip(positions.ranges.joined(), change.requiredNewValue) {
                elements[index] = element
            }
        }
    }

    static func apply(_ change: KeyValueObservedChange<Elements>, to view: ObservedMutableProperty<Elements>) {
        let positions = change.indexes ?? RangeSet()
        switch change.kind {
        case .removal: view.removeSubranges(positions)
        case .insertion: view.insert(contentsOf: change.requiredNewValue, at: positions)
        case .replacement, .setting: view.replaceSubranges(positions, with: change.requiredNewValue)
        }
    }

    static func areSame(_ left: Elements, _ right: Elements) -> Bool {
        let areEqual = comparison(Elements.Element.self)
        return left.count == right.count
            && zip(left.prefix(mostCompared), right.prefix(mostCompared)).allSatisfy(areEqual)
            && zip(left.suffix(mostCompared), right.suffix(mostCompared)).allSatisfy(areEqual)
    }
}

private enum MemberHolder<Elements> {}

extension MemberHolder: ElementsHolder, CollectionHolder
where Elements: SetAlgebra & Collection, Elements.ArrayLiteralElement == Elements.Element {
    static func fits(_ change: KeyValueObservedChange<Elements>, _ elements: Elements) -> Bool {
        (change.oldValue?.isSubset(of: elements) ?? true) && (change.newValue?.isDisjoint(with: elements) ?? true)
    }

    static func apply(_ change: KeyValueObservedChange<Elements>, to elements: inout Elements) {
        if change.kind != .insertion { elements.subtract(change.requiredOldValue) }
        if change.kind != .removal { elements.formUnion(change.requiredNewValue) }
    }

    /// Applies the change for the members that are really inserted or removed.
    static func apply(_ change: KeyValueObservedChange<Elements>, to view: ObservedMutableProperty<Elements>) {
        view.asStep {
            view.change(
                change.kind, removing: change.kind == .insertion ? [] : view.members(in: change.requiredOldValue),
                inserting: change.kind == .removal ? [] : view.newcomers(in: change.requiredNewValue))
        }
    }

    static func areSame(_ left: Elements, _ right: Elements) -> Bool {
        if left.count <= 2 * mostCompared { return left == right }
        return left.count == right.count && left.prefix(mostCompared).allSatisfy(right.contains)
            && right.prefix(mostCompared).allSatisfy(left.contains)
    }
}

extension Dictionary: CollectionHolder {
    fileprivate typealias Elements = Self

    fileprivate static func fits(_ change: KeyValueObservedChange<Self>, _ elements: Self) -> Bool {
        let (old, new) = (change.oldValue ?? [:], change.newValue ?? [:])
        return isPart(old, of: elements) && new.keys.allSatisfy { (elements[$0] == nil) == (old[$0] == nil) }
    }

    fileprivate static func apply(_ change: KeyValueObservedChange<Self>, to elements: inout Self) {
        if change.kind != .insertion { for key in change.requiredOldValue.keys { elements[key] = nil } }
        if change.kind != .removal { elements.merge(change.requiredNewValue) { $1 } }
    }

    /// Applies the change for the entries that exist.
    fileprivate static func apply(_ change: KeyValueObservedChange<Self>, to view: ObservedMutableProperty<Self>) {
        if change.kind == .insertion { return view.merge(change.requiredNewValue) { $1 } }
        view.asStep {
            view.change(
                change.kind, removing: view.entries(in: change.requiredOldValue),
                inserting: change.kind == .removal ? [:] : change.requiredNewValue)
        }
    }

    fileprivate static func areSame(_ left: Self, _ right: Self) -> Bool {
        left.count == right.count && isPart(left.prefix(2 * mostCompared), of: right)
            && isPart(right.prefix(2 * mostCompared), of: left)
    }

    private static func isPart(_ part: some Sequence<Element>, of all: Self) -> Bool {
        let areEqual = comparison(Value.self)
        return part.allSatisfy { key, value in all[key].map { areEqual($0, value) } ?? false }
    }
}

extension Optional: ElementsHolder {
    fileprivate static func make(
        _ change: KeyValueObservedChange<Self>, in elements: inout Self, leadingTo whole: Self?,
        ifFitting isChecked: Bool
    ) -> Bool {
        if case .some(.none) = whole { return false }
        let change = KeyValueObservedChange<Wrapped>(
            kind: change.kind, oldValue: change.oldValue ?? nil, newValue: change.newValue ?? nil, edit: change.edit,
            isPrior: false, origin: change.origin)
        return elements.changeInPlace { change.make(in: &$0, leadingTo: whole ?? nil, ifFitting: isChecked) }
    }

    fileprivate static func make(
        _: KeyValueObservedChange<Self>, through _: ObservedMutableProperty<Self>
    ) -> Bool { false }
}

extension Optional {
    /// Changes the wrapped value without copying it; false for nil.
    mutating func changeInPlace(_ body: (inout Wrapped) -> Bool) -> Bool {
        guard var wrapped = take() else { return false }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
