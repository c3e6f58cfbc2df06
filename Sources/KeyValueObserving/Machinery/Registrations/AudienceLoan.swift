// Lending an audience to a change.
import Synchronization

/// Keeps the audience of a property, and lends it to one change at a time.
///
/// To borrow and to give back is one atomic operation each: no lock is taken, and no reference counted. Whatever else
/// happens to the audience happens under the lock of the table: who finds it lent there takes a counted reference,
/// and if it is to be forgotten while it is lent, the borrower releases it. No other one is kept until then, so there is
/// one borrower at most.
struct AudienceLoan: ~Copyable {
    /// 0, `overdue`, or the address of a retained audience with marks.
    private let word = Atomic<UInt>(0)

    /// Marks an audience that is lent.
    private static let lent: UInt = 1
    /// Marks an audience that is not to be lent.
    private static let reserved: UInt = 2
    /// Stands for an audience that is still lent and was forgotten.
    private static let overdue: UInt = 4
    private static let marks: UInt = 7

    deinit {
        unsafe recall()?.release()
    }

    /// Borrows the audience, if there is one to be lent and nobody has borrowed it.
    func borrow() -> Unmanaged<Audience>? {
        let address = word.load(ordering: .relaxed)
        guard address != 0, address & Self.marks == 0,
            // An audience at the same address is as good as the one that was seen.
            word.compareExchange(expected: address, desired: address | Self.lent, ordering: .acquiring).exchanged
        else { return nil }
        return unsafe Self.audience(address)
    }

    /// Gives back what was borrowed.
    func giveBack(_ audience: Unmanaged<Audience>) {
        let address = unsafe UInt(bitPattern: audience.toOpaque())
        let isKept = word.compareExchange(
            expected: address | Self.lent, desired: address, ordering: .acquiringAndReleasing
        ).exchanged
        guard !isKept else { return }
        word.store(0, ordering: .releasing)
        unsafe audience.release()
    }

    /// The audience; to be called under the lock of the table.
    var audience: Audience? {
        unsafe Self.audience(word.load(ordering: .relaxed))?.takeUnretainedValue()
    }

    /// Keeps an audience, if there is room for one; to be called under the lock of the table.
    func keep(_ audience: Audience) {
        guard word.load(ordering: .acquiring) == 0 else { return }
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(audience).toOpaque())
        word.store(audience.isLendable ? address : address | Self.reserved, ordering: .releasing)
    }

    /// Forgets the audience; to be called under the lock of the table.
    ///
    /// - Returns: The audience, to be released, unless its borrower does that.
    func recall() -> Unmanaged<Audience>? {
        var address = word.load(ordering: .acquiring)
        while address != 0, address != Self.overdue {
            let new = address & Self.lent == 0 ? 0 : Self.overdue
            let (exchanged, original) = word.compareExchange(
                expected: address, desired: new, ordering: .acquiringAndReleasing)
            guard exchanged else {
                // It was lent or given back.
                address = original
                continue
            }
            return new == 0 ? unsafe Self.audience(address) : nil
        }
        return nil
    }

    private static func audience(_ address: UInt) -> Unmanaged<Audience>? {
        unsafe UnsafeRawPointer(bitPattern: address & ~marks).map { unsafe Unmanaged.fromOpaque($0) }
    }
}
