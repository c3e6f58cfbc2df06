// What the handlers of one call site are called with: a change, and a place among registrations.

/// A change, and the registrations of one call site that it is delivered to; the call site's notifier knows the types.
@usableFromInline
@safe struct ChangeMessage: ~Copyable {
    /// Where the registrations are found, one after the other: in the frame of the delivery.
    private let cursor: UnsafeMutablePointer<Cursor>
    @usableFromInline let site: Unretained<CallSite>
    /// The object that the registrations were made on; whoever makes the message holds it.
    @usableFromInline let object: Unretained<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the message holds it.
    @usableFromInline let unretainedEdit: Unretained<Edit>?
    @usableFromInline let phase: ChangePhase
    @usableFromInline let isPrior: Bool
    /// Whether the registrations differ: each has what it was told last.
    @usableFromInline let areDifferent: Bool
    /// The values that the registrations asked for.
    @usableFromInline let values: ChangeValues
    /// All values that were read.
    @usableFromInline let allValues: ChangeValues

    /// The message to the next registrations of a cursor, which stays where it is as long as this is used.
    @inline(__always)
    @unsafe init(
        to cursor: UnsafeMutablePointer<Cursor>, of site: Unretained<CallSite>, object: Unretained<AnyObject>,
        edit: Unretained<Edit>?, _ phase: ChangePhase, _ values: ChangeValues
    ) {
        unsafe self.cursor = cursor
        self.site = site
        self.object = object
        unretainedEdit = edit
        self.phase = phase
        isPrior = if case .prior = phase { true } else { false }
        areDifferent = site.with { $0.keepsTold }
        allValues = values
        self.values = site.with { values.limited(new: $0.wantsNew, old: $0.wantsOld) }
    }

    // MARK: Registrations that are called

    /// The next registration, whose handler is about to be called; nil if there is none left.
    @usableFromInline
    func next() -> Unretained<Registration>? { unsafe cursor.pointee.next(at: site, counting: true) }

    /// Calls `body` with each registration that is to be called, and with its change.
    @inlinable @inline(__always)
    func forEach<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        if areDifferent { return forEachDifferent(type, body) }
        let change = change(of: type)
        while let registration = next() { registration.with { body($0, change) } }
    }

    /// The same where each has what it was told last.
    @inlinable @inline(__always)
    func forEachDifferent<Value>(_ type: Value.Type, _ body: (Registration, KeyValueObservedChange<Value>) -> Void) {
        while let registration = nextUncounted() {
            registration.with { registration in
                guard let change = ownChange(of: type, for: registration) else { return }
                registration.countCall(alone: false)
                body(registration, change)
            }
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
            phase != .change || told?.with({ $0.content }) != .outdated || allValues.whole(as: type) == nil
        {
            if phase == .change, let told { told.with { keepElements(type, in: $0) } }
            return change(of: type)
        }
        let new = isOfElements ? allValues.whole(as: type) : allValues.new(as: type)
        let last =
            if phase == .change, let new { told?.with { keep(new, in: $0) } } else {
                told?.with { $0.lastingValue(as: type) }
            }
        let old = (last ?? nil) ?? allValues.old(as: type)
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
            kind: edit?.kind ?? .setting, newValue: allValues.new(as: type), oldValue: allValues.old(as: type),
            edit: edit, isPrior: false, origin: site.object)
        let whole = allValues.whole(as: type)
        if !told.make(change, leadingTo: whole), let whole { _ = keep(whole, in: told) }
    }

    /// The next registration, which may not be called.
    @usableFromInline
    func nextUncounted() -> Unretained<Registration>? { unsafe cursor.pointee.next(at: site, counting: false) }


    /// The change as it is passed to handlers of a type.
    ///
    /// It is inlined so that its fields need not be released by code that looks up their types.
    @inlinable @inline(__always)
    func change<Value>(of type: Value.Type) -> KeyValueObservedChange<Value> {
        let edit = unretainedEdit?.object
        return KeyValueObservedChange(
            kind: edit?.kind ?? .setting, newValue: values.new(as: type), oldValue: values.old(as: type),
            edit: edit, isPrior: isPrior, origin: site.object)
    }

    @inlinable var edit: Edit? { unretainedEdit?.object }
}

/// A place among registrations, which passes over those that take no part.
struct Cursor {
    private let members: Members
    /// Whether the recipients are borrowed, which is possible for one delivery at a time.
    private let isBorrower: Bool
    /// The registrations that are not notified of the change.
    private let ignored: Unretained<IgnoredRegistrations>?
    /// Registrations with a later number are not part of the change.
    private let newest: RegistrationNumber
    private var index: Int
    /// Where it stops: at the last one, unless something comes first.
    private var end: Int
    /// The slot of the recipient found last.
    private(set) var slot: Int

    @inline(__always)
    init(
        _ members: Members, isBorrower: Bool = false,
        ignored: Unretained<IgnoredRegistrations>? = nil, upTo newest: RegistrationNumber = .max
    ) {
        self.members = members
        (index, slot) = (0, 0)
        self.isBorrower = isBorrower
        self.ignored = ignored
        self.newest = newest
        end = members.count
    }

    /// The call site of the next recipient; nil if there is none left, or if something else comes first.
    @inline(__always)
    mutating func nextSite() -> Unretained<CallSite>? {
        while index < end {
            let registration = members[index]
            if registration.with({ $0.takesPart(ignored, upTo: newest) }) {
                slot = members.slot(at: index)
                return registration.with { Unretained($0.site) }
            }
            index &+= 1
        }
        return nil
    }

    /// The next recipient, if it is of a certain call site; the cursor moves on.
    @inline(__always)
    mutating func next(at site: Unretained<CallSite>, counting isCounted: Bool) -> Unretained<Registration>? {
        guard let nextSite = nextSite(), nextSite == site else { return nil }
        let registration = members[index]
        index &+= 1
        // A registration at a watch is lent by all its sources, and so to several deliveries at a time.
        if isCounted { registration.with { $0.countCall(alone: isBorrower && slot == 0) } }
        return registration
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
        let isStopped = end < members.count
        end = members.count
        return isStopped
    }

    /// Goes back to the one that was found last, and stops behind it.
    mutating func repeatCurrent() { (index, end) = (index - 1, index) }
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
