// What the handlers of one call site are called with: a change, and a place among registrations.

/// A change, and the registrations of one call site that it is delivered to; the call site's notifier knows the types.
@usableFromInline
@safe struct ChangeMessage: ~Copyable {
    /// Where the registrations are found, one after the other: in the frame of the delivery, as long as this is used.
    @usableFromInline let cursor: UnsafeMutablePointer<Cursor>
    /// The first of the registrations, whose handler is about to be called.
    @usableFromInline let first: Unretained<Registration>
    @usableFromInline let site: Unretained<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    @usableFromInline let object: Unretained<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    @usableFromInline let unretainedEdit: Unretained<Edit>?
    @usableFromInline let phase: ChangePhase
    /// All values that were read, whatever the registrations asked for.
    @usableFromInline let values: ChangeValues

    @inlinable var isPrior: Bool {
        @inline(__always) get { if case .prior = phase { true } else { false } }
    }

    /// Whether the registrations differ: each has what it was told last.
    @inlinable var areDifferent: Bool {
        @inline(__always) get { site.with { $0.keepsTold } }
    }

    // MARK: Registrations that are called

    /// Calls `body` with each registration whose handler is to be called.
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

    /// Calls `body` with each registration that is to be called, and with its change.
    @inlinable @inline(__always)
    func forEach<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        if areDifferent { return forEachDifferent(type, body) }
        let change = change(of: type)
        forEachRegistration { body($0, change) }
    }

    /// The same where each has what it was told last.
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

    /// The change for one registration, which has what it was told last; nil if it is not called.
    @inlinable @inline(__always)
    func ownChange<Value>(of type: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value>? {
        if phase == .initial { return change(of: type) }
        // Another thread that calls it meanwhile, without the lock that both would need, finds nothing.
        let told = registration.told.borrow()
        let change = ownChange(of: type, told)
        registration.told.putBack(told)
        return change
    }

    @inlinable @inline(__always)
    func ownChange<Value>(of type: Value.Type, _ told: Unretained<BoxedValue>?) -> KeyValueObservedChange<Value>? {
        let isOfElements = unretainedEdit != nil
        // A registration that missed a change cannot apply a change of some elements to what it has.
        if isOfElements,
            phase != .change || told?.with({ $0.content }) != .outdated || values.whole(as: type) == nil
        {
            if phase == .change, let told { told.with { keepElements(type, in: $0) } }
            return change(of: type)
        }
        let new = isOfElements ? values.whole(as: type) : values.new(as: type)
        let last =
            if phase == .change, let new { told?.with { keep(new, in: $0) } } else {
                told?.with { $0.lastingValue(as: type) }
            }
        let old = (last ?? nil) ?? values.old(as: type)
        if phase == .change, let equality = site.with({ $0.equality }), let old, let new,
            // It was made for the values of its registration.
            unsafe unsafeDowncast(equality, to: Equality<Value>.self).areEqual(old, new)
        {
            return nil
        }
        return KeyValueObservedChange(
            kind: .setting, newValue: site.with { $0.wantsNew } ? new : nil,
            oldValue: site.with { $0.wantsOld } ? old : nil, edit: nil, isPrior: isPrior,
            origin: site.object)
    }

    /// Keeps what a registration is told, and returns what it was told last.
    @inlinable
    func keep<Value>(_ new: Value, in told: BoxedValue) -> Value? {
        let last = told.exchange(for: new)
        if site.with({ $0.keeping }) == .object { told.weaken() }
        return last
    }

    /// Makes a change of some elements in what a registration keeps, so that nothing is copied; or keeps the whole value.
    @usableFromInline
    func keepElements<Value>(_ type: Value.Type, in told: BoxedValue) {
        let change = KeyValueObservedChange(
            kind: edit?.kind ?? .setting, newValue: values.new(as: type), oldValue: values.old(as: type),
            edit: edit, isPrior: false, origin: site.object)
        let whole = values.whole(as: type)
        if !told.make(change, leadingTo: whole), let whole { _ = keep(whole, in: told) }
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextUncounted() -> Unretained<Registration>? { unsafe cursor.pointee.next(at: site) }

    /// The change as it is passed to handlers of a type.
    ///
    /// It is inlined so that its fields need not be released by code that looks up their types.
    @inlinable @inline(__always)
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        let edit = unretainedEdit?.object
        return KeyValueObservedChange(
            kind: edit?.kind ?? .setting, newValue: newValue(as: type),
            oldValue: site.with { $0.wantsOld } ? values.old(as: type) : nil, edit: edit, isPrior: isPrior,
            origin: site.object)
    }

    /// The new value, if the registrations asked for it.
    @inlinable @inline(__always)
    func newValue<Value>(as type: Value.Type) -> Value? { site.with { $0.wantsNew } ? values.new(as: type) : nil }

    @inlinable var edit: Edit? { unretainedEdit?.object }
}

/// A place among registrations, which passes over those that take no part.
@usableFromInline
@safe struct Cursor {
    let recipients: Unretained<Recipients>
    private let members: Members
    /// The registrations that are not notified of the change.
    private let ignored: Unretained<IgnoredRegistrations>?
    /// Registrations with a later number are not part of the change.
    private let newest: RegistrationNumber
    /// Where it stops: at the last one, unless something comes first.
    @usableFromInline private(set) var end: Int
    @usableFromInline private(set) var index = 0
    /// Whether the recipients are borrowed, which is possible for one delivery at a time.
    private let isBorrower: Bool

    @inline(__always)
    init(
        _ recipients: Unretained<Recipients>, isBorrower: Bool = false,
        ignored: Unretained<IgnoredRegistrations>? = nil, upTo newest: RegistrationNumber = .max
    ) {
        self.recipients = recipients
        members = recipients.with { $0.members }
        self.isBorrower = isBorrower
        self.ignored = ignored
        self.newest = newest
        end = members.count
    }

    /// Whether it comes to others.
    @inlinable var hasMore: Bool {
        @inline(__always) get { index < end }
    }

    /// The slot of the recipient found last.
    var slot: Int {
        @inline(__always) get { members.slot(at: index &- 1) }
    }

    /// The next recipient, if it is of a certain call site; nil if there is none left, or if something else comes first.
    @inline(__always)
    mutating func next(at site: Unretained<CallSite>? = nil) -> Unretained<Registration>? {
        while index < end {
            let registration = members[index]
            if registration.with({ $0.takesPart(ignored, upTo: newest) }) {
                if let site, !registration.with({ Unretained($0.site) == site }) { return nil }
                index &+= 1
                return registration
            }
            index &+= 1
        }
        return nil
    }

    /// Counts a call of a recipient.
    @inline(__always)
    func count(_ registration: Unretained<Registration>, in slot: Int) {
        // A registration at a watch is lent by all its sources, and so to several deliveries at a time.
        registration.with { $0.countCall(alone: isBorrower && slot == 0) }
    }

    // MARK: What happens while a recipient runs

    /// The first of all.
    var first: Unretained<Registration>? { members.count > 0 ? members[0] : nil }
    /// The recipient that was found last: while code of others runs, the one that is running.
    var current: Unretained<Registration>? { index > 0 ? members[index - 1] : nil }

    /// Whether any is left, though something else may come first.
    var isAtEnd: Bool { index >= members.count }

    /// Has the delivery look for what comes before those that are left.
    mutating func stop() { end = index }

    /// Goes on to the last recipient; false if it did so before.
    @discardableResult
    mutating func resume() -> Bool {
        guard end < members.count else { return false }
        end = members.count
        return true
    }
}

/// Registrations with their slots, held by the recipients, which lend them to deliveries without counting references.
@safe struct Members {
    let count: Int
    private let start: UnsafeMutablePointer<(registration: Unmanaged<Registration>, slot: Int)>

    init(_ members: [(registration: Registration, slot: Int)]) {
        count = members.count
        unsafe start = .allocate(capacity: count)
        for (index, member) in members.enumerated() {
            unsafe (start + index).initialize(
                to: (.passRetained(member.registration), member.slot))
        }
    }

    func release() {
        for index in 0..<count { unsafe start[index].registration.release() }
        unsafe start.deallocate()
    }

    @inline(__always)
    subscript(index: Int) -> Unretained<Registration> { unsafe Unretained(lent: start[index].registration) }

    @inline(__always)
    func slot(at index: Int) -> Int { unsafe start[index].slot }
}
