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
    /// Whether the registrations differ: some have a last value of their own, or they compare values.
    @usableFromInline let areDifferent: Bool
    /// The values that the registrations asked for.
    @usableFromInline let values: ChangeValues
    /// All values that were read.
    @usableFromInline let allValues: ChangeValues

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
        areDifferent = site.with { $0.keepsLastValue && ($0.equality != nil || cursor.hasOwnLastValue(at: site)) }
        allValues = values
        self.values = values.limited(to: site.with { $0.wants })
    }

    /// Calls one registration, with the values that it asked for, unless it has ended.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, _ phase: ChangePhase,
        at keyPath: AnyKeyPath? = nil, _ values: ChangeValues
    ) {
        LentRegistrations.with(registration) { one in
            var cursor = RecipientsCursor(one, ignored: nil, upTo: .max, at: keyPath.map(Unretained.init))
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

    /// Calls `body` with each registration that is to be called, and with its change.
    @inlinable @inline(__always)
    func forEach<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        let change = change(of: type)
        if !areDifferent {
            while let registration = next() { registration.with { body($0, change) } }
            return
        }
        let isDistinct = site.with { $0.equality != nil }
        while let registration = nextUncounted() {
            registration.with { registration in
                let isCommon = registration.ownLastValue == nil && !isDistinct
                guard let change = isCommon ? change : ownChange(of: type, for: registration) else { return }
                registration.countCall(alone: false)
                body(registration, change)
            }
        }
    }

    /// The change for one registration, which has a last value of its own or compares values; nil if it is not called.
    @inlinable
    func ownChange<Value>(of type: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value>? {
        let last = phase == .initial ? nil : takeOwnLastValue(registration)
        let (isOfElements, whole) = (elements != nil, allValues.whole(as: type))
        // A registration that missed a change cannot apply a change of some elements to what it has.
        let isSetting = !isOfElements || phase == .change && whole != nil && last?.isPassed ?? false
        guard isSetting else { return change(of: type) }
        let old = phase == .initial ? nil : last?.value(as: type) ?? allValues.old(as: type)
        let new = isOfElements ? whole : allValues.new(as: type)
        if phase == .change, let equality = site.with({ $0.equality }), let old, let new {
            // It was made for the values of its registration.
            if unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new) { return nil }
        }
        let wants = site.with { $0.wants }
        return KeyValueObservedChange(
            kind: .setting, newValue: wants.contains(.new) ? new : nil, oldValue: wants.contains(.old) ? old : nil,
            elements: nil, isPrior: phase == .prior, origin: site.object)
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextUncounted() -> Unretained<Registration>? { cursor.next(at: site, counting: false) }

    /// The last value that a registration received, if that is not the old value of the change, which it receives now.
    @usableFromInline
    func takeOwnLastValue(_ registration: Registration) -> BoxedValue? {
        guard let last = registration.ownLastValue else { return nil }
        if phase == .change { registration.ownLastValue = nil }
        last.strengthen()
        return last
    }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() { cursor.skip(at: site) }

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
