// Which recipient is next.

/// Goes through recipients in their order, and passes over those who take no part.
struct RecipientsCursor {
    private let registrations: LentRegistrations
    /// Whether the registrations are borrowed, which is possible for one delivery at a time.
    private let isBorrower: Bool
    /// The registrations that are not notified of the change.
    private let ignored: Unretained<IgnoredRegistrations>?
    /// Registrations with a later number are not part of the change.
    private let newestNumber: RegistrationNumber
    /// The property that changes, for who observes all of an object.
    let keyPath: Unretained<AnyKeyPath>?
    private var index = 0
    /// The index of the watch that the recipients found last observe, or -1 for those on the property itself.
    private(set) var watch = -1

    init(
        _ registrations: LentRegistrations, isBorrower: Bool, ignored: Unretained<IgnoredRegistrations>?,
        upTo newestNumber: RegistrationNumber, at keyPath: Unretained<AnyKeyPath>?
    ) {
        self.registrations = registrations
        self.isBorrower = isBorrower
        self.ignored = ignored
        self.newestNumber = newestNumber
        self.keyPath = keyPath
    }

    /// The call site of the next recipient; nil if there is none left.
    @inline(__always)
    mutating func nextSite() -> Unretained<CallSite>? {
        while index < registrations.count {
            let registration = registrations[index]
            if registration.with({ $0.takesPart(ignored, upTo: newestNumber) }) {
                watch = registrations.watch(at: index)
                return registration.with { Unretained($0.site) }
            }
            index &+= 1
        }
        return nil
    }

    /// The next recipient, if it is of a certain call site; the cursor moves on.
    @inline(__always)
    fileprivate mutating func next(at site: Unretained<CallSite>, counting isCounted: Bool) -> Unretained<Registration>?
    {
        guard let nextSite = nextSite(), nextSite == site else { return nil }
        let registration = registrations[index]
        index &+= 1
        // A registration at a watch is lent by all its sources, and so to several deliveries at a time.
        if isCounted { registration.with { $0.countCall(alone: isBorrower && watch < 0) } }
        return registration
    }

    @inline(__always)
    fileprivate func hasTold(at site: Unretained<CallSite>) -> Bool {
        var index = index
        while index < registrations.count, registrations[index].with({ Unretained($0.site) }) == site {
            if registrations[index].with({ $0.isTold }) { return true }
            index &+= 1
        }
        return false
    }
}

extension RecipientsCursor {
    /// A cursor, by its address in a frame of the stack.
    ///
    /// While a handler runs, others may move the cursor on: a change made inside it completes the delivery. So it is
    /// accessed for moments only, and has moved on before a handler is called.
    @safe struct Place {
        private let pointer: UnsafeMutablePointer<RecipientsCursor>

        /// The place of a cursor that stays there as long as this is used.
        @unsafe init(_ pointer: UnsafeMutablePointer<RecipientsCursor>) {
            unsafe self.pointer = pointer
        }

        /// Calls `body` with the place of a cursor, which stays there until `body` returns.
        static func with(_ cursor: inout RecipientsCursor, _ body: (Place) -> Void) {
            unsafe withUnsafeMutablePointer(to: &cursor) { unsafe body(Place($0)) }
        }

        /// The next recipient, if it is of a certain call site.
        @inline(__always)
        func next(at site: Unretained<CallSite>, counting isCounted: Bool) -> Unretained<Registration>? {
            unsafe pointer.pointee.next(at: site, counting: isCounted)
        }

        /// Whether a recipient that `next` would return has what it was told last.
        @inline(__always)
        func hasTold(at site: Unretained<CallSite>) -> Bool { unsafe pointer.pointee.hasTold(at: site) }

        /// Leaves out the recipients that `next` would return.
        func skip(at site: Unretained<CallSite>) {
            while unsafe pointer.pointee.next(at: site, counting: false) != nil {}
        }

        /// The property that changes, for who observes all of an object.
        var keyPath: AnyKeyPath? { unsafe pointer.pointee.keyPath?.object }
    }
}
