// What the handlers of one call site are called with, before the types are known.

/// A change, and the registrations of one call site that it is delivered to; the call site's notifier knows the types.
@usableFromInline
struct ChangeMessage: ~Copyable {
    /// The delivery that has the registrations; nil for a single one.
    private let delivery: DeliveryPlace?
    private var single: Unretained<Registration>?
    private let site: Unretained<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    @usableFromInline let object: Unretained<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    @usableFromInline let unretainedElements: Unretained<ElementsChange>?
    @usableFromInline let isPrior: Bool
    /// Those that the registrations asked for.
    @usableFromInline let values: ChangeValues

    /// Calls one registration, with the values that it asked for; the caller makes sure that it has not ended.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - object: The object that it was made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: The old value, or the elements that leave.
    ///   - new: The new value, or the elements that come.
    static func send(
        to registration: Registration, of object: AnyObject, elements: ElementsChange? = nil, isPrior: Bool = false,
        old: BoxedValue? = nil, new: BoxedValue?
    ) {
        let site = registration.site
        var message = Self(
            nil, Unretained(registration), Unretained(site), object: Unretained(object),
            elements: elements.map(Unretained.init),
            isPrior: isPrior, ChangeValues(old: old, new: new))
        site.checkIsolation(of: object)
        site.notifier(&message)
        withExtendedLifetime((registration, site, elements, old, new)) {}
    }

    /// The message to the next registrations of a delivery.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - site: Their call site.
    ///   - object: The object that they were made on.
    ///   - elements: How some elements change, unless the whole value is set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - values: The old and new values or elements.
    @inline(__always)
    init(
        of delivery: DeliveryPlace, to site: Unretained<CallSite>, object: Unretained<AnyObject>,
        elements: Unretained<ElementsChange>?, isPrior: Bool, _ values: ChangeValues
    ) {
        self.init(delivery, nil, site, object: object, elements: elements, isPrior: isPrior, values)
    }

    @inline(__always)
    private init(
        _ delivery: DeliveryPlace?, _ single: Unretained<Registration>?, _ site: Unretained<CallSite>,
        object: Unretained<AnyObject>, elements: Unretained<ElementsChange>?, isPrior: Bool, _ values: ChangeValues
    ) {
        self.delivery = delivery
        self.single = single
        self.site = site
        self.object = object
        unretainedElements = elements
        self.isPrior = isPrior
        self.values = values.limited(to: site.with { $0.needs })
    }

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    mutating func next() -> Unretained<Registration>? {
        if let delivery { return delivery.next(at: site) }
        defer { single = nil }
        single?.with { $0.countCall() }
        return single
    }

    /// Leaves the registrations out.
    @usableFromInline
    func skip() {
        delivery?.skip(at: site)
    }

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
            elements: elements, isPrior: isPrior, origin: origin)
    }

    @inlinable var elements: ElementsChange? { unretainedElements?.object }
    /// Where the change finds its key path.
    @usableFromInline var origin: ChangeKeyPath { site.object }
}
