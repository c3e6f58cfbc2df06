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
    /// What becomes of what the registrations are told.
    @usableFromInline let keeping: Keeping
    /// Whether the registrations differ: some have what they were told last, or they compare values.
    @usableFromInline let areDifferent: Bool
    /// The values that the registrations asked for.
    @usableFromInline let values: ChangeValues
    /// All values that were read.
    @usableFromInline let allValues: ChangeValues

    /// The message to the next registrations of a cursor.
    @inline(__always)
    init(
        to cursor: RecipientsCursor.Place, of site: Unretained<CallSite>, object: Unretained<AnyObject>,
        elements: Unretained<ElementsChange>?, _ phase: ChangePhase, _ keeping: Keeping, _ values: ChangeValues
    ) {
        self.keeping = keeping
        self.cursor = cursor
        self.site = site
        self.object = object
        unretainedElements = elements
        self.phase = phase
        areDifferent = site.with {
            $0.keepsTold && (keeping != .none || $0.equality != nil || cursor.hasTold(at: site))
        }
        allValues = values
        self.values = values.limited(to: site.with { $0.wants })
    }

    /// Calls one registration, with the values that it asked for, unless it has ended.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, _ phase: ChangePhase,
        at keyPath: AnyKeyPath? = nil, keeping: Keeping = .none, _ values: ChangeValues
    ) {
        LentRegistrations.with(registration) { one in
            var cursor = RecipientsCursor(
                one, isBorrower: false, ignored: nil, upTo: .max, at: keyPath.map { Unretained($0) })
            guard let site = cursor.nextSite()?.object else { return }
            RecipientsCursor.Place.with(&cursor) { cursor in
                let message = Self(
                    to: cursor, of: Unretained(site), object: Unretained(object),
                    elements: elements.map(Unretained.init), phase, keeping, values)
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

    /// Calls `body` with each registration that is to be called, and with its change.
    @inlinable @inline(__always)
    func forEach<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        let change = change(of: type)
        if !areDifferent {
            while let registration = next() { registration.with { body($0, change) } }
            return
        }
        while let registration = nextUncounted() {
            registration.with { registration in
                guard let change = ownChange(of: type, for: registration) else { return }
                registration.countCall(alone: false)
                body(registration, change)
            }
        }
    }

    /// The change for one registration, which may have what it was told last, or compares values; nil if it is not called.
    @inlinable
    func ownChange<Value>(of type: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value>? {
        if phase == .initial { return change(of: type) }
        let (isOfElements, whole, told) = (elements != nil, allValues.whole(as: type), registration.told)
        // A registration that missed a change cannot apply a change of some elements to what it has.
        let isSetting = !isOfElements || phase == .change && whole != nil && told?.isPassed ?? false
        let new = isOfElements ? whole : allValues.new(as: type)
        let last = told.flatMap { $0.lastingValue(as: type) }
        if phase == .change {
            if keeping != .none, let new { keep(new, registration) } else { told?.clear() }
        }
        guard isSetting else { return change(of: type) }
        let old = last ?? allValues.old(as: type)
        if phase == .change, let equality = site.with({ $0.equality }), let old, let new {
            // It was made for the values of its registration.
            if unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new) { return nil }
        }
        let wants = site.with { $0.wants }
        return KeyValueObservedChange(
            kind: .setting, newValue: wants.contains(.new) ? new : nil, oldValue: wants.contains(.old) ? old : nil,
            elements: nil, isPrior: phase == .prior, origin: site.object)
    }

    /// Has a registration keep what it is told.
    @inlinable
    func keep<Value>(_ new: Value, _ registration: Registration) {
        if let told = registration.told { told.replace(with: new) } else { registration.told = .holding(new) }
        if keeping == .object { registration.told?.weaken() }
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextUncounted() -> Unretained<Registration>? { cursor.next(at: site, counting: false) }

    /// The key path of the property that changed, for a registration at all properties.
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

    @inlinable var elements: ElementsChange? { unretainedElements?.object }
}
