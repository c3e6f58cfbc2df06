// The list of deliveries under way on a thread, and calling their recipients.
import CKeyValueObserving

/// A delivery under way, by its address in the frame that runs it.
///
/// The deliveries of a thread form a list through these frames. A handler may come back to the delivery that called it:
/// its changes first complete what is being delivered. So a delivery is accessed for moments only, never while code of
/// others runs, and its cursor has moved on before a handler is called.
@safe struct DeliveryPlace {
    private let pointer: UnsafeMutablePointer<Delivery>

    private init(_ pointer: UnsafeMutablePointer<Delivery>) {
        unsafe self.pointer = pointer
    }

    /// Calls `body` with the place of a delivery, which stays there until `body` returns.
    static func with<Result, Failure: Error>(
        _ delivery: inout Delivery, _ body: (DeliveryPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeMutablePointer(to: &delivery) { (pointer) throws(Failure) in
            try body(unsafe DeliveryPlace(pointer))
        }
    }

    @inline(__always)
    private func access<Result>(_ body: (inout Delivery) -> Result) -> Result { unsafe body(&pointer.pointee) }

    // MARK: The list

    /// The innermost delivery under way on this thread.
    static var innermost: DeliveryPlace? {
        unsafe kvo_delivery().map { unsafe DeliveryPlace($0.assumingMemoryBound(to: Delivery.self)) }
    }

    /// The outermost delivery under way on this thread.
    static var outermost: DeliveryPlace? {
        var place = innermost
        while let outer = place?.access({ $0.outer }) { place = outer }
        return place
    }

    /// Whether this is the outermost one and the thread's number belongs to it.
    var isNumbered: Bool {
        get { access { $0.isNumbered } }
        nonmutating set { access { $0.isNumbered = newValue } }
    }

    /// Whether it delivers what a transaction changed.
    var isOfTransaction: Bool { access { $0.changes } != nil }

    /// Runs `body` with this as the innermost delivery of the thread.
    func whileInnermost<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let outer = unsafe kvo_delivery()
        unsafe kvo_set_delivery(pointer)
        defer { unsafe kvo_set_delivery(outer) }
        return try body()
    }

    /// Completes this delivery and those around it, outermost first.
    fileprivate func complete() {
        if !access({ $0.isOuterComplete }) {
            access { $0.outer }?.complete()
            access { $0.isOuterComplete = true }
        }
        completeRest()
    }

    // MARK: Calling the recipients

    /// Calls the recipients that are left.
    func completeRest() {
        Tracking.suspended {
            repeat {
                while let site = access({ $0.cursor.nextSite() }) {
                    if access({ $0.cursor.watch }) < 0 {
                        let (object, elements, values) = access { ($0.object, $0.elements, $0.values) }
                        tell(site, object, elements, .none, values)
                    } else if let change = access({ $0.change }) {
                        tellObserversOfWatch(site, change)
                    } else {
                        tellObserversOfEnd(site)
                    }
                }
            } while access { $0.advance() }
        }
    }

    /// Calls the observers of a path that ends at the property; they keep nothing, as a rule.
    @inline(__always)
    private func tellObserversOfEnd(_ site: Unretained<CallSite>) {
        let (elements, values, watch) = access { ($0.elements, $0.values, $0.watch) }
        watch.with { watch in
            guard let leaf = watch.leaf, let root = Unretained(watch.subject).with({ $0.root }) else {
                return cursor.skip(at: site)
            }
            let keeping: Keeping = cursor.hasTold(at: site) ? watch.keeping(isKept: false) : .none
            leaf.withValues(values) { tell(site, Unretained(root), elements, keeping, $0) }
            extendLifetime(root)
        }
    }

    /// Calls the observers of a watch, which may have been evaluated.
    private func tellObserversOfWatch(_ site: Unretained<CallSite>, _ change: Unretained<DeliveredChange>) {
        let (index, phase, elements, values) = access { ($0.cursor.watch, $0.phase, $0.elements, $0.values) }
        let isTold = change.with {
            $0.tell(index, phase, elements, values) { tell(site, $0, $1, $2, $3) }
        }
        if !isTold { cursor.skip(at: site) }
    }

    @inline(__always)
    private func tell(
        _ site: Unretained<CallSite>, _ object: Unretained<AnyObject>, _ elements: Unretained<ElementsChange>?,
        _ keeping: Keeping, _ values: ChangeValues
    ) {
        if _slowPath(access { $0.isOneByOne }) { return tellOneByOne(site, object, elements, keeping, values) }
        let message = ChangeMessage(to: cursor, of: site, object: object, elements: elements, .change, keeping, values)
        site.with { site in
            site.checkIsolation(of: object.object)
            site.notifier(message)
        }
    }

    /// Calls the recipients of a call site one by one: those who want to be called before the change, or to report each call.
    private func tellOneByOne(
        _ site: Unretained<CallSite>, _ object: Unretained<AnyObject>, _ elements: Unretained<ElementsChange>?,
        _ keeping: Keeping, _ values: ChangeValues
    ) {
        let (phase, event, change) = access { ($0.phase, $0.event, $0.change?.object) }
        if phase == .prior, !site.object.options.contains(.prior) { return cursor.skip(at: site) }
        while let registration = cursor.next(at: site, counting: false)?.object {
            let (number, watch) = (registration.number, access { $0.cursor.watch })
            guard change?.concerns(number, at: watch) ?? true else { continue }
            if phase == .prior, !(change?.isFirstPrior(of: number) ?? true) { continue }
            registration.tracing(phase, of: object.object, in: event) {
                ChangeMessage.send(
                    to: registration, of: object.object, elements: elements?.object, phase, at: cursor.keyPath,
                    keeping: keeping, values)
            }
        }
    }

    /// The place of its cursor, which stays where it is as long as the delivery does.
    private var cursor: RecipientsCursor.Place {
        @inline(__always) get { unsafe withUnsafeMutablePointer(to: &pointer.pointee.cursor) { unsafe .init($0) } }
    }

    // MARK: Without end

    /// Ends the program: the stack is nearly full of handlers that change what others observe, unless there are none.
    func trapIfEndless() {
        var places: [String] = []
        var seen: Set<Seen> = []
        var isRepeated = false
        var type = "class"
        var next: DeliveryPlace? = self
        while let place = next {
            if let subject = place.access({ $0.subject }) {
                if seen.isEmpty { type = TypeName.of(subject.object) }
                let isNew = seen.insert(Seen(object: ObjectIdentifier(subject.object), name: subject.name)).inserted
                isRepeated = !isNew || isRepeated
                let place = subject.description
                if !places.contains(place), places.count < 32 { places.append(place) }
            }
            next = place.access { $0.outer }
        }
        let properties = places.reversed().joined(separator: ", ")
        if seen.isEmpty { return }
        if isRepeated {
            fatalError(
                """
                An endless change: handlers of \(properties) set one another again and again, the last time in a \(type). \
                Have a handler set nothing if the value is what it should be.
                """)
        }
        fatalError(
            """
            The stack is nearly full: handlers of \(properties) set one another's objects, one inside the other, down to \
            the \(seen.count)th, a \(type). Deliver a part of such a chain later, with observe(_:options:on:), or give the \
            thread a larger stack.
            """)
    }

    /// A property of an object that is being delivered.
    private struct Seen: Hashable {
        let object: ObjectIdentifier
        let name: String
    }
}

extension Delivery {
    /// Completes the deliveries under way on this thread, outermost first.
    @usableFromInline
    package static func completeAll() { DeliveryPlace.innermost?.complete() }
}
