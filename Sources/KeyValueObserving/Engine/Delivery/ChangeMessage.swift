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
    /// Whether what each registration was told last has to be looked at.
    @usableFromInline let isTold: Bool
    /// Those that the registrations asked for, or all that are known where what they were told last is looked at.
    @usableFromInline let values: ChangeValues

    /// The message to the next registrations of a cursor.
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
        let isTold = site.with { $0.isTold && ($0.equality != nil || cursor.hasTold(at: site)) }
        self.isTold = isTold
        self.values = values.limited(to: site.with { isTold ? $0.needs : $0.wants })
    }

    /// Calls one registration, with the values that it asked for, unless it has ended.
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

    /// Calls `body` with each registration that is to be called, and what it is called with.
    @inlinable @inline(__always)
    func tell<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        if !isTold {
            let change = change(of: type)
            while let registration = next() { registration.with { body($0, change) } }
            return
        }
        let change = limitedChange(of: type)
        let isDistinct = site.with { $0.equality != nil }
        while let registration = nextToTell() {
            registration.with { registration in
                if registration.told == nil, !isDistinct {
                    registration.countCall(alone: false)
                    body(registration, change)
                } else if let own = ownChange(of: type, for: registration) {
                    registration.countCall(alone: false)
                    body(registration, own)
                }
            }
        }
    }

    /// What a registration is called with that was told something else last, or compares values; nil if it is not called.
    @inlinable
    func ownChange<Value>(of type: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value>? {
        let own = phase == .initial ? nil : takeTold(registration)
        let (isOfElements, whole) = (elements != nil, values.whole(as: type))
        // What some elements become of is another value than the one that it knows.
        let isSetting = !isOfElements || phase == .change && whole != nil && own?.isPassed ?? false
        guard isSetting else { return limitedChange(of: type) }
        let old = phase == .initial ? nil : own?.value(as: type) ?? values.old(as: type)
        let new = isOfElements ? whole : values.new(as: type)
        if phase == .change, let equality = site.with({ $0.equality }), let old, let new {
            // It was made for the values of its registration.
            if unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new) { return nil }
        }
        return setting(from: old, to: new)
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

    /// What they are called with.
    @usableFromInline var wants: KeyValueObservingOptions { site.with { $0.wants } }

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
            kind: elements?.kind ?? .setting, newValue: wants.contains(.new) ? values.new(as: type) : nil,
            oldValue: wants.contains(.old) ? values.old(as: type) : nil, elements: elements,
            isPrior: phase == .prior, origin: site.object)
    }

    /// A setting of the whole for one registration, with what that asked for.
    @inlinable
    func setting<Value>(from old: Value?, to new: Value?) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: .setting, newValue: wants.contains(.new) ? new : nil,
            oldValue: wants.contains(.old) ? old : nil, elements: nil, isPrior: phase == .prior, origin: site.object)
    }

    @inlinable var elements: ElementsChange? { unretainedElements?.object }
}
