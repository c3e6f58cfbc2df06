// The registration at a collection whose elements are observed.

/// A registration that follows which objects are in a collection.
///
/// Another thread may change the collection while its first elements are read. So the first change brings the whole
/// collection as it is after that change.
final class CollectionRegistration<
    Owner: KeyValueObservable, Elements, Element: KeyValueObservable, Value
>: Registration, @unchecked Sendable {
    private let link: EachElementLink<Owner, Element, Value>
    /// The elements of a value of the collection's key path.
    private let elements: (Elements) -> [Element]

    init(
        _ link: EachElementLink<Owner, Element, Value>, _ elements: @escaping (Elements) -> [Element]
    ) {
        self.link = link
        self.elements = elements
        super.init()
    }

    /// Calls the registrations of a call site, one after the other.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let (whole, isInitial) = (message.values.whole(as: Elements.self), message.phase == .initial)
        message.forEach(Elements.self) { registration, change in
            unsafe unsafeDowncast(registration, to: Self.self).follow(change, whole: whole, isInitial)
        }
    }

    private func follow(_ change: KeyValueObservedChange<Elements>, whole: Elements?, _ isInitial: Bool) {
        guard let each = link.each else { return }
        if each.needsWhole, let whole { return each.follow(.setting, new: elements(whole), old: []) }
        each.follow(
            change.kind, new: change.newValue.map(elements) ?? [],
            old: change.kind == .setting ? [] : change.oldValue.map(elements) ?? [], isFirst: isInitial)
    }
}
