// Registrations that are lent to deliveries.

/// Registrations in the order in which they were recorded, each with the path that it was made at.
///
/// Whoever makes this holds them: as a rule ``Recipients``, which lend them to deliveries without counting references.
@safe struct LentRegistrations {
    let count: Int
    private let start: UnsafeMutablePointer<Member>

    @unsafe private struct Member {
        let registration: Unmanaged<Registration>
        /// The index of its path among those of the recipients, or -1 if it is on the property itself.
        let path: Int
    }

    /// Registrations that are held until `release`.
    init(_ members: [(registration: Registration, path: Int)]) {
        count = members.count
        unsafe start = .allocate(capacity: count)
        for (index, member) in members.enumerated() {
            unsafe (start + index).initialize(
                to: Member(registration: .passRetained(member.registration), path: member.path))
        }
    }

    func release() {
        for index in 0..<count { unsafe start[index].registration.release() }
        unsafe start.deallocate()
    }

    private init(_ one: UnsafeMutablePointer<Member>) {
        count = 1
        unsafe start = one
    }

    /// One of these, lent by the same holder.
    func only(_ index: Int) -> LentRegistrations { unsafe LentRegistrations(start + index) }

    /// Calls `body` with a single registration on a property itself, which the caller holds.
    static func with(_ registration: Registration, _ body: (LentRegistrations) -> Void) {
        var member = unsafe Member(registration: .passUnretained(registration), path: -1)
        unsafe withUnsafeMutablePointer(to: &member) { unsafe body(LentRegistrations($0)) }
    }

    @inline(__always)
    subscript(index: Int) -> Unretained<Registration> { unsafe Unretained(lent: start[index].registration) }

    /// The index of a registration's path, or -1.
    @inline(__always)
    func path(at index: Int) -> Int { unsafe start[index].path }
}
