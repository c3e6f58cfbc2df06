// A change as delivered to one call site.

/// A change, and the registrations of one call site that receive it; the call site's notifier knows the types.
@usableFromInline
@safe struct ChangeMessage: ~Copyable {
    /// Iterates over the registrations; in the frame of the delivery, which outlives this message.
    @usableFromInline let cursor: UnsafeMutablePointer<Cursor>
    /// The first of the registrations, whose handler is about to be called.
    @usableFromInline let first: Unretained<Registration>
    @usableFromInline let site: Unretained<CallSite>
    /// The object that the registrations were made on; the creator of the message holds it.
    @usableFromInline let object: Unretained<AnyObject>
    /// The edit, if only some elements change; the creator of the message holds it.
    @usableFromInline let unretainedEdit: Unretained<Edit>?
    @usableFromInline let phase: ChangePhase
    /// All values that were read, whatever the registrations requested.
    @usableFromInline let values: ChangeValues

    @inlinable var isPrior: Bool {
        @inline(__always) get { if case .prior = phase { true } else { false } }
    }

    /// Whether each registration has an old value of its own.
    @inlinable var areDifferent: Bool {
        @inline(__always) get { site.with { $0.keepsLastValue } }
    }

    // MARK: Registrations to call

    /// Calls `body` with each registration to call.
    @inlinable @inline(__always)
    func forEachRegistration(_ body: (Registration) -> Void) {
        var next: Unretained<Registration>? = first
        while let registration = next {
            registration.with(body)
            next = unsafe cursor.pointee.hasMore ? self.next() : nil
        }
    }

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    func next() -> Unretained<Registration>? {
        guard let registration = unsafe cursor.pointee.next(at: site) else { return nil }
        unsafe cursor.pointee.count(registration, in: cursor.pointee.slot)
        return registration
    }

    /// Calls `body` with each registration to call, and with its change.
    @inlinable @inline(__always)
    func forEach<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        if areDifferent { return forEachDifferent(type, body) }
        let change = change(of: type)
        forEachRegistration { body($0, change) }
    }

    /// Calls the registrations, each with its own old value.
    @inlinable @inline(__always)
    func forEachDifferent<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        var next: Unretained<Registration>? = first
        while let registration = next {
            registration.with { registration in
                guard let change = ownChange(of: type, for: registration) else { return }
                registration.countCall(alone: false)
                body(registration, change)
            }
            next = nextUncounted()
        }
    }

    /// The change for one registration, with its own old value; nil if it is not called.
    @inlinable @inline(__always)
    func ownChange<Value>(of type: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value>? {
        if phase == .initial { return change(of: type) }
        // Another thread that calls it at the same time, without the lock that both need, finds nothing.
        let lastValue = registration.lastValue.borrow()
        let change = ownChange(of: type, lastValue)
        registration.lastValue.putBack(lastValue)
        return change
    }

    @inlinable @inline(__always)
    func ownChange<Value>(of type: Value.Type, _ lastValue: Unretained<BoxedValue>?) -> KeyValueObservedChange<Value>? {
        let isOfElements = isOfElements
        if isOfElements, !site.with({ $0.givesWholes }) {
            guard phase == .change, let lastValue, let whole = values.whole(as: type) else { return change(of: type) }
            // An edit that does not fit the registration's last value is a setting for it.
            if lastValue.with({ makeElements(type, in: $0, leadingTo: whole) }) { return change(of: type) }
        }
        let new = isOfElements ? values.whole(as: type) : values.new(as: type)
        let last =
            if phase == .change, let new { lastValue?.with { keep(new, in: $0) } } else {
                lastValue?.with { $0.lastingValue(as: type) }
            }
        let old = (last ?? nil) ?? values.old(as: type)
        if phase == .change, let equality = site.with({ $0.equality }), let old, let new,
            // The equality was created for the values of its registration.
            unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new)
        {
            return nil
        }
        return KeyValueObservedChange(
            kind: .setting, oldValue: site.with { $0.wantsOld } ? old : nil,
            newValue: site.with { $0.wantsNew } ? new : nil,
            edit: isOfElements || edit == nil ? nil : steps(of: type, from: old, to: new), isPrior: isPrior,
            origin: site.object)
    }

    /// The steps of a setting, if they lead from a registration's last value to the new one.
    @usableFromInline
    func steps<Value>(of type: Value.Type, from old: Value?, to new: Value?) -> Edit? {
        guard let edit, let old, let new, edit.leads(from: old, to: new) else { return nil }
        return edit.typed(as: type, site.object)
    }

    /// Keeps a registration's new value, and returns its last one.
    @inlinable
    func keep<Value>(_ new: Value, in lastValue: BoxedValue) -> Value? {
        let last = lastValue.exchange(for: new)
        if site.with({ $0.keeping }) == .object { lastValue.weaken() }
        return last
    }

    /// Makes a change of some elements in the value that a registration keeps, so that nothing is copied.
    ///
    /// - Returns: Whether the change fits the last value, which then is `whole`.
    @usableFromInline
    func makeElements<Value>(_ type: Value.Type, in lastValue: BoxedValue, leadingTo whole: Value) -> Bool {
        let change = KeyValueObservedChange(
            kind: edit?.kind ?? .setting, oldValue: values.old(as: type), newValue: values.new(as: type),
            edit: edit, isPrior: false, origin: site.object)
        return lastValue.make(change, leadingTo: whole)
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextUncounted() -> Unretained<Registration>? { unsafe cursor.pointee.next(at: site) }

    /// The change with types, as passed to handlers.
    ///
    /// It is inlined, so that releasing its fields needs no lookup of their types.
    @inlinable @inline(__always)
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        let edit = typedEdit(of: type)
        return KeyValueObservedChange(
            kind: edit?.kind ?? .setting, oldValue: site.with { $0.wantsOld } ? values.old(as: type) : nil,
            newValue: newValue(as: type), edit: edit, isPrior: isPrior,
            origin: site.object)
    }

    /// The new value, if the registrations requested it.
    @inlinable @inline(__always)
    func newValue<Value>(as type: Value.Type) -> Value? { site.with { $0.wantsNew } ? values.new(as: type) : nil }

    @inlinable var edit: Edit? { unretainedEdit?.object }

    /// Whether some elements change, and not the whole value.
    @inlinable var isOfElements: Bool {
        @inline(__always) get { unretainedEdit.map { $0.with { $0.kind != .setting } } ?? false }
    }

    /// The edit, with typed steps.
    @inlinable @inline(__always)
    func typedEdit<Value>(of type: Value.Type) -> Edit? {
        guard let edit else { return nil }
        return edit.kind == .setting ? edit.typed(as: type, site.object) : edit
    }
}
