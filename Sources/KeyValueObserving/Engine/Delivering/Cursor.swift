// Iterating over the registrations that a change is delivered to.

/// A position in a list of registrations, which skips those that take no part.
@usableFromInline
@safe struct Cursor {
    let recipients: Unretained<Recipients>
    @usableFromInline let members: Members
    /// The registrations that are not notified of the change.
    private let ignored: Unretained<IgnoredRegistrations>?
    /// Registrations with a later number are not part of the change.
    private let newest: RegistrationNumber
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
    }

    /// Whether it has more registrations.
    @inlinable var hasMore: Bool {
        @inline(__always) get { index < members.count }
    }

    /// The slot of the recipient found last.
    var slot: Int {
        @inline(__always) get { members.slot(at: index &- 1) }
    }

    /// The next recipient, if it belongs to a given call site; nil if none is left.
    @inline(__always)
    mutating func next(at site: Unretained<CallSite>? = nil) -> Unretained<Registration>? {
        while index < members.count {
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
        // All sources of a watch lend its registrations, so several deliveries may have them at a time.
        registration.with { $0.countCall(alone: isBorrower && slot == 0) }
    }

    // MARK: While a recipient runs

    /// The recipient found last; while code of users runs, the running one.
    var current: Unretained<Registration>? { index > 0 ? members[index - 1] : nil }
}

/// Registrations with their slots, held by the recipients, which lend them to deliveries without counting references.
@usableFromInline
@safe struct Members {
    @usableFromInline let count: Int
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
