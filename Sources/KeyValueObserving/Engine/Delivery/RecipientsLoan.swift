// Lending the recipients of a property to one change at a time.
import Synchronization

/// Keeps the recipients of a property, and lends them to one change at a time without a lock.
///
/// Borrowing and giving back take one atomic operation each, and count no reference. All else happens under the lock of
/// the table: whoever finds the recipients lent there takes a counted reference.
///
/// | state | `borrow` | `giveBack` | `keep` (locked) | `recall` (locked) |
/// | --- | --- | --- | --- | --- |
/// | empty | fails | – | kept | – |
/// | kept | lent | – | – | empty; the caller releases |
/// | lent | fails | kept | – | overdue |
/// | overdue | fails | empty; the borrower releases | – | – |
///
/// Nothing is kept while recipients are overdue, so there is one borrower at most.
///
/// Each transition is one compare-and-exchange. It acquires, so that whoever takes the recipients sees them complete
/// and whoever releases them comes after all use of them; and it releases, so that the next one who takes them comes
/// after this one's use.
package struct RecipientsLoan<Lent: AnyObject>: ~Copyable {
    private let word = Atomic<UInt>(Self.empty)

    private static var empty: UInt { 0 }
    /// Marks recipients that are lent.
    private static var lent: UInt { 1 }
    private static var overdue: UInt { 2 }
    private static var marks: UInt { 3 }

    package init() {}

    deinit {
        unsafe recall()?.release()
    }

    /// Borrows the recipients, if there are any and nobody has borrowed them.
    @inline(__always)
    package borrowing func borrow() -> Unmanaged<Lent>? {
        let address = word.load(ordering: .relaxed)
        // Other recipients at the same address are as good as those that were seen.
        guard address != Self.empty, address & Self.marks == 0, exchange(address, for: address | Self.lent) else {
            return nil
        }
        return unsafe Self.recipients(address)
    }

    /// Gives back what was borrowed.
    @inline(__always)
    package borrowing func giveBack(_ recipients: Unmanaged<Lent>) {
        let address = unsafe UInt(bitPattern: recipients.toOpaque())
        if exchange(address | Self.lent, for: address) { return }
        // They are overdue, and nobody else changes that.
        _ = exchange(Self.overdue, for: Self.empty)
        unsafe recipients.release()
    }

    /// The recipients, lent or not; to be called under the lock of the table.
    package borrowing func current() -> Lent? {
        unsafe Self.recipients(word.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Keeps recipients, if there are none; to be called under the lock of the table.
    package borrowing func keep(_ recipients: Lent) {
        guard word.load(ordering: .acquiring) == Self.empty else { return }
        word.store(unsafe UInt(bitPattern: Unmanaged.passRetained(recipients).toOpaque()), ordering: .releasing)
    }

    /// Forgets the recipients; to be called under the lock of the table.
    ///
    /// - Returns: The recipients, to be released without the lock, unless their borrower does that.
    package borrowing func recall() -> Unmanaged<Lent>? {
        while true {
            let address = word.load(ordering: .relaxed)
            if address == Self.empty || address == Self.overdue { return nil }
            let isLent = address & Self.lent != 0
            // It fails if they are lent or given back meanwhile.
            guard exchange(address, for: isLent ? Self.overdue : Self.empty) else { continue }
            return isLent ? nil : unsafe Self.recipients(address)
        }
    }

    @inline(__always)
    private borrowing func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    private static func recipients(_ address: UInt) -> Unmanaged<Lent>? {
        unsafe UnsafeRawPointer(bitPattern: address & ~marks).map { unsafe Unmanaged.fromOpaque($0) }
    }
}
