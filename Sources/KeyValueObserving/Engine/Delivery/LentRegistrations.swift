// Registrations that are lent to deliveries.

/// Registrations in the order in which they were recorded, each with the path that it was made at.
///
/// Whoever makes this holds them: as a rule ``Recipients``, which lend them to deliveries without counting references.
@safe struct LentRegistrations {
    let count: Int
    private let start: UnsafeMutablePointer<Unmanaged<Registration>>
    /// The index of each one's path among those of the recipients, or -1 if it is on the property itself; nil if all are.
    private let paths: UnsafeMutablePointer<Int>?

    /// Registrations that are held until `release`.
    init(_ members: [(registration: Registration, path: Int)], hasPaths: Bool) {
        count = members.count
        unsafe start = .allocate(capacity: count)
        unsafe paths = hasPaths ? .allocate(capacity: count) : nil
        for (index, member) in members.enumerated() {
            unsafe (start + index).initialize(to: .passRetained(member.registration))
            if let paths = unsafe paths { unsafe (paths + index).initialize(to: member.path) }
        }
    }

    func release() {
        for index in 0..<count { unsafe start[index].release() }
        unsafe start.deallocate()
        unsafe paths?.deallocate()
    }

    private init(_ one: UnsafeMutablePointer<Unmanaged<Registration>>, at path: UnsafeMutablePointer<Int>? = nil) {
        count = 1
        unsafe start = one
        unsafe paths = path
    }

    /// One of these, lent by the same holder.
    func only(_ index: Int) -> LentRegistrations {
        unsafe LentRegistrations(start + index, at: paths.map { unsafe $0 + index })
    }

    /// Calls `body` with a single registration, which the caller holds.
    static func with(_ registration: Registration, _ body: (LentRegistrations) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: Unmanaged<Registration>.self, capacity: 1) { place in
            unsafe place.initializeElement(at: 0, to: .passUnretained(registration))
            guard let one = place.baseAddress else { preconditionFailure("there is room for one") }
            unsafe body(LentRegistrations(one))
        }
    }

    @inline(__always)
    subscript(index: Int) -> Unretained<Registration> { unsafe Unretained(lent: start[index]) }

    /// The index of a registration's path, or -1.
    @inline(__always)
    func path(at index: Int) -> Int {
        guard let paths = unsafe paths else { return -1 }
        return unsafe paths[index]
    }
}
