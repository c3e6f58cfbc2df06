// Which recipient is next.

/// Goes through recipients in their order, and passes over those who take no part.
struct RecipientsCursor {
    private let registrations: LentRegistrations
    /// Whether the change is still to be made.
    let isPrior: Bool
    /// Whether the registrations are borrowed, which is possible for one delivery at a time.
    private let isBorrower: Bool
    /// The registrations that are not notified of the change.
    private let ignored: Unretained<IgnoredRegistrations>?
    /// Registrations with a later number are not part of the change.
    private var newestNumber: RegistrationNumber
    private var index = 0
    /// The index of the path whose recipients are being called, or -1 for those on the property itself.
    private(set) var path = -1

    init(
        _ registrations: LentRegistrations, isBorrower: Bool = false, isPrior: Bool,
        ignored: Unretained<IgnoredRegistrations>?, upTo newestNumber: RegistrationNumber
    ) {
        self.registrations = registrations
        self.isBorrower = isBorrower
        self.isPrior = isPrior
        self.ignored = ignored
        self.newestNumber = newestNumber
    }

    /// The path of the next registration; nil if there is none left.
    @inline(__always)
    var nextPath: Int? { index < registrations.count ? registrations.path(at: index) : nil }

    /// Goes on to registrations at another path.
    mutating func enter(_ path: Int, upTo newestNumber: RegistrationNumber) {
        self.path = path
        self.newestNumber = newestNumber
    }

    /// The call site of the next recipient at the same path; nil if there is none left, or if the next registration is
    /// at another path.
    @inline(__always)
    mutating func nextSite() -> Unretained<CallSite>? {
        while nextPath == path {
            let registration = registrations[index]
            if registration.with({ takesPart($0) }) { return registration.with { Unretained($0.site) } }
            index &+= 1
        }
        return nil
    }

    /// The next recipient, if it is at the same path and of a certain call site; the cursor moves on.
    @inline(__always)
    fileprivate mutating func next(at site: Unretained<CallSite>) -> Unretained<Registration>? {
        guard let nextSite = nextSite(), nextSite == site else { return nil }
        defer { index &+= 1 }
        return registrations[index]
    }

    /// Counts a call of a recipient that `next` returned.
    @inline(__always)
    fileprivate func countCall(of registration: Unretained<Registration>) {
        // A registration at a path is lent by all properties on the path, and so to several deliveries at a time.
        registration.with { $0.countCall(alone: isBorrower && path < 0) }
    }

    @inline(__always)
    private func takesPart(_ registration: Registration) -> Bool {
        registration.takesPart(inPrior: isPrior, ignored, upTo: newestNumber)
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

        /// The next recipient, if it is at the same path as those before it, and of a certain call site.
        ///
        /// It is counted as called.
        @inline(__always)
        func next(at site: Unretained<CallSite>) -> Unretained<Registration>? {
            guard let registration = unsafe pointer.pointee.next(at: site) else { return nil }
            unsafe pointer.pointee.countCall(of: registration)
            return registration
        }

        /// Leaves out the recipients that `next` would return.
        func skip(at site: Unretained<CallSite>) {
            while unsafe pointer.pointee.next(at: site) != nil {}
        }
    }
}
