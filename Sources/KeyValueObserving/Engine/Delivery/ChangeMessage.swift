// What the handlers of one call site are called with, before the types are known.

/// A change, and the registrations of one call site that it is delivered to; the call site's notifier knows the types.
@usableFromInline
struct ChangeMessage: ~Copyable {
    /// Where the registrations are found, one after the other.
    private let cursor: RecipientsCursor.Place
    @usableFromInline let site: Unretained<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    @usableFromInline let object: Unretained<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    @usableFromInline let unretainedElements: Unretained<ElementsChange>?
    @usableFromInline let phase: ChangePhase
    /// Those that the registrations asked for.
    @usableFromInline let values: ChangeValues

    /// The message to the next registrations of a cursor.
    ///
    /// - Parameters:
    ///   - cursor: The cursor.
    ///   - site: Their call site.
    ///   - object: The object that they were made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - phase: When they are called.
    ///   - values: The old and new values or elements.
    @inline(__always)
    init(
        to cursor: RecipientsCursor.Place, of site: Unretained<CallSite>, object: Unretained<AnyObject>,
        elements: Unretained<ElementsChange>?, _ phase: ChangePhase, _ values: ChangeValues
    ) {
        self.cursor = cursor
        self.site = site
        self.object = object
        unretainedElements = elements
        self.phase = phase
        self.values = values.limited(to: site.with { $0.needs })
    }

    /// Calls one registration, with the values that it asked for, unless it has ended.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - object: The object that it was made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - phase: When it is called.
    ///   - keyPath: The property that changed, for who observes all.
    ///   - values: The old and new values or elements.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, _ phase: ChangePhase,
        at keyPath: AnyKeyPath? = nil, _ values: ChangeValues
    ) {
        LentRegistrations.with(registration) { one in
            var cursor = RecipientsCursor(
                one, isPrior: phase == .prior, ignored: nil, upTo: .max, at: keyPath.map(Unretained.init))
            guard let site = cursor.nextSite()?.object else { return }
            RecipientsCursor.Place.with(&cursor) { cursor in
                let message = Self(
                    to: cursor, of: Unretained(site), object: Unretained(object),
                    elements: elements.map(Unretained.init), phase, values)
                site.checkIsolation(of: object)
                site.notifier(message)
            }
        }
        // The registration holds its call site.
        withExtendedLifetime((registration, elements, keyPath)) {}
    }

    // MARK: Registrations that are called

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    func next() -> Unretained<Registration>? { cursor.next(at: site, counting: true) }

    /// The next registration that is to be called, and what it is called with; nil if there is none left.
    @inlinable
    func next<Value>(
        of type: Value.Type
    ) -> (registration: Unretained<Registration>, change: KeyValueObservedChange<Value>)? {
        if !isTold { return next().map { ($0, change(of: type)) } }
        while let registration = nextToTell() {
            let own = phase == .initial ? nil : registration.with { takeTold($0) }
            let (isOfElements, whole) = (elements != nil, values.whole(as: type))
            // What some elements become of is another value than the one that it knows.
            let isSetting = !isOfElements || phase == .change && whole != nil && own?.isPassed ?? false
            guard isSetting else {
                registration.with { $0.countCall(alone: false) }
                return (registration, limitedChange(of: type))
            }
            let old = phase == .initial ? nil : own?.value(as: type) ?? values.old(as: type)
            let new = isOfElements ? whole : values.new(as: type)
            if phase == .change, let equality = site.with({ $0.equality }), let old, let new {
                // It was made for the values of its registration.
                if unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new) { continue }
            }
            registration.with { $0.countCall(alone: false) }
            return (registration, setting(from: old, to: new))
        }
        return nil
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextToTell() -> Unretained<Registration>? { cursor.next(at: site, counting: false) }

    /// What a registration was told last, if that is not the old value of the change; it is told of the change now.
    @usableFromInline
    func takeTold(_ registration: Registration) -> BoxedValue? {
        guard let told = registration.told else { return nil }
        if phase == .change { registration.told = nil }
        told.strengthen()
        return told
    }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() { cursor.skip(at: site) }

    /// Whether what each registration was told last has to be looked at.
    @usableFromInline var isTold: Bool { site.with { $0.isTold } }

    /// What the handlers asked for.
    @usableFromInline var options: KeyValueObservingOptions { site.with { $0.options } }

    /// The key path of the property that changed, for who observes all.
    var keyPath: AnyKeyPath? { cursor.keyPath }

    /// The change as it is passed to handlers of a type.
    ///
    /// It is inlined so that its fields need not be released by code that looks up their types.
    @inlinable @inline(__always)
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        let elements = elements
        return KeyValueObservedChange(
            kind: elements?.kind ?? .setting, newValue: values.new(as: type), oldValue: values.old(as: type),
            elements: elements, isPrior: phase == .prior, origin: site.object)
    }

    /// The same with what the handlers asked for, which may be less than was needed.
    @inlinable
    func limitedChange<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: elements?.kind ?? .setting, newValue: options.contains(.new) ? values.new(as: type) : nil,
            oldValue: options.contains(.old) ? values.old(as: type) : nil, elements: elements,
            isPrior: phase == .prior, origin: site.object)
    }

    /// A setting of the whole for one registration, with what that asked for.
    @inlinable
    func setting<Value>(from old: Value?, to new: Value?) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: .setting, newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? old : nil, elements: nil, isPrior: phase == .prior, origin: site.object)
    }

    @inlinable var elements: ElementsChange? { unretainedElements?.object }
}
