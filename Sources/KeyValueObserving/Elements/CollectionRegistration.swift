// The registration at a collection whose elements are observed.

/// A registration that follows which objects are in a collection.
///
/// Another thread may change the collection while its first elements are read. So the first change brings the whole
/// collection as it is after that change.
final class CollectionRegistration<
    Owner: KeyValueObservable, Elements, Element: KeyValueObservable, Value
>: Registration, @unchecked Sendable {
    private let link: EachElementLink<Owner, Element, Value>
    private let subject: ObservedSubject<Owner, Elements>
    /// The elements of a value of the collection's key path.
    private let elements: (Elements) -> [Element]

    init(
        _ link: EachElementLink<Owner, Element, Value>, at subject: ObservedSubject<Owner, Elements>,
        _ elements: @escaping (Elements) -> [Element]
    ) {
        self.link = link
        self.subject = subject
        self.elements = elements
        super.init()
    }

    override var needsWholes: Bool { link.each?.needsWhole ?? false }

    override func whole(of object: AnyObject) -> BoxedValue? {
        needsWholes ? .holding(value(of: object)) : nil
    }

    private func value(of object: AnyObject) -> Elements {
        // It is the object that the registration was made on.
        Tracking.suspended { unsafe subject.value(of: unsafeDowncast(object, to: Owner.self)) }
    }

    /// Calls the registrations of a call site, one after the other.
    static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations, whose type this is, and for their object.
        let change = message.change(of: Elements.self)
        let object = message.object
        while let registration = message.next() {
            registration.with { registration in
                let registration = unsafe unsafeDowncast(registration, to: Self.self)
                object.with { registration.follow(change, of: $0) }
            }
        }
    }

    private func follow(_ change: KeyValueObservedChange<Elements>, of object: AnyObject) {
        guard let each = link.each else { return }
        if let change = change.elements, each.needsWhole {
            let whole = change.whole?.value(as: Elements.self) ?? value(of: object)
            return each.follow(.setting, new: elements(whole), old: [])
        }
        let isSetting = change.kind == .setting
        // The initial call alone has no old value.
        each.follow(
            change.kind, new: change.newValue.map(elements) ?? [],
            old: isSetting ? [] : change.oldValue.map(elements) ?? [], isFirst: isSetting && change.oldValue == nil)
    }
}
