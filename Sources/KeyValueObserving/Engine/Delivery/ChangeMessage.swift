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
    @usableFromInline let isPrior: Bool
    /// Those that the registrations asked for.
    @usableFromInline let values: ChangeValues

    /// The message to the next registrations of a cursor.
    ///
    /// - Parameters:
    ///   - cursor: The cursor.
    ///   - site: Their call site.
    ///   - object: The object that they were made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - values: The old and new values or elements.
    @inline(__always)
    init(
        to cursor: RecipientsCursor.Place, of site: Unretained<CallSite>, object: Unretained<AnyObject>,
        elements: Unretained<ElementsChange>?, isPrior: Bool, _ values: ChangeValues
    ) {
        self.cursor = cursor
        self.site = site
        self.object = object
        unretainedElements = elements
        self.isPrior = isPrior
        self.values = values.limited(to: site.with { $0.needs })
    }

    /// Calls one registration, with the values that it asked for, unless it has ended.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - object: The object that it was made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: The old value, or the elements that leave.
    ///   - new: The new value, or the elements that come.
    ///   - event: The change, where somebody traces; nil for an initial call.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, isPrior: Bool = false,
        old: BoxedValue? = nil, new: BoxedValue?, becauseOf event: EngineTrace.EventNumber? = nil
    ) {
        LentRegistrations.with(registration) { one in
            var cursor = RecipientsCursor(one, isPrior: isPrior, ignored: nil, upTo: .max)
            guard let site = cursor.nextSite()?.object else { return }
            RecipientsCursor.Place.with(&cursor) { cursor in
                let message = Self(
                    to: cursor, of: Unretained(site), object: Unretained(object),
                    elements: elements.map(Unretained.init), isPrior: isPrior, ChangeValues(old: old, new: new))
                site.checkIsolation(of: object)
                guard EngineTrace.isReporting, event?.isReported ?? true else { return site.notifier(message) }
                registration.traceCall(of: object, prior: isPrior, cause: event ?? .unreported) {
                    site.notifier(message)
                }
            }
        }
        // The registration holds its call site.
        withExtendedLifetime((registration, elements, old, new)) {}
    }

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    func next() -> Unretained<Registration>? { cursor.next(at: site) }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() { cursor.skip(at: site) }

    /// What the handlers asked for.
    @usableFromInline var options: KeyValueObservingOptions { site.with { $0.options } }

    /// The change as it is passed to handlers of a type.
    ///
    /// It is inlined so that its fields need not be released by code that looks up their types.
    @inlinable @inline(__always)
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        let elements = elements
        return KeyValueObservedChange(
            kind: elements?.kind ?? .setting, newValue: values.new(as: type), oldValue: values.old(as: type),
            elements: elements, isPrior: isPrior, origin: site.object)
    }

    @inlinable var elements: ElementsChange? { unretainedElements?.object }
}
