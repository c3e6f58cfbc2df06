// A hash table that may be read while it changes.
import Synchronization

/// A hash table from addresses to words, in memory that is not freed while the process uses it.
///
/// One thread at a time changes it. Other threads may read it meanwhile, and discard the result: the version of
/// `AddressMap` shows that the table changed. Every word is stored with releasing and loaded with acquiring ordering.
///
/// An entry is at the first free place after the one that its address hashes to. No place between the two is free, even
/// after a removal, which moves entries back.
@safe struct AddressTable {
    /// Two words for each place: an address, or 0, and the value.
    ///
    /// Before them are the number of places and the address of the table that this one replaced.
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    private static let header = 2

    /// Makes a table with twice the places of another one, and its entries.
    init(replacing old: AddressTable?) {
        let capacity = (old?.capacity ?? 8) * 2
        unsafe words = .allocate(capacity: Self.header + 2 * capacity)
        for index in 0..<(Self.header + 2 * capacity) { unsafe (words + index).initialize(to: Atomic(0)) }
        unsafe words[0].store(UInt(capacity), ordering: .releasing)
        unsafe words[1].store(old?.word ?? 0, ordering: .releasing)
        guard let old else { return }
        for index in 0..<old.capacity where old.address(at: index) != 0 {
            insert(old.value(at: index), at: old.address(at: index))
        }
    }

    /// The table that a `word` stands for; nil for 0.
    init?(word: UInt) {
        guard let pointer = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: word) else { return nil }
        unsafe words = pointer
    }

    /// The table as a word.
    var word: UInt { unsafe UInt(bitPattern: words) }

    /// Frees the table and those that it replaced.
    func free() {
        AddressTable(word: unsafe words[1].load(ordering: .acquiring))?.free()
        unsafe words.deinitialize(count: Self.header + 2 * capacity)
        unsafe words.deallocate()
    }

    /// How many places there are: a power of two.
    var capacity: Int { Int(unsafe words[0].load(ordering: .acquiring)) }

    /// The place of an address, and the value there.
    func find(_ address: UInt) -> (index: Int, value: UInt)? {
        let mask = capacity - 1
        var index = Self.hash(of: address) & mask
        // While the table changes there may be no free place to end at.
        for _ in 0...mask {
            switch self.address(at: index) {
            case address: return (index, value(at: index))
            case 0: return nil
            default: index = (index + 1) & mask
            }
        }
        return nil
    }

    /// Adds an entry at an address that has none, if there is room.
    func insert(_ value: UInt, at address: UInt) {
        let mask = capacity - 1
        var index = Self.hash(of: address) & mask
        while self.address(at: index) != 0 { index = (index + 1) & mask }
        set(address, value, at: index)
    }

    /// Removes an entry, and moves back later entries that it had displaced.
    func remove(at index: Int) {
        let mask = capacity - 1
        var free = index
        var next = (free + 1) & mask
        while address(at: next) != 0 {
            let home = Self.hash(of: address(at: next)) & mask
            if (next &- home) & mask >= (next &- free) & mask {
                set(address(at: next), value(at: next), at: free)
                free = next
            }
            next = (next + 1) & mask
        }
        set(0, 0, at: free)
    }

    /// A number whose lower bits differ for neighboring addresses.
    static func hash(of address: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 33)
    }

    private func address(at index: Int) -> UInt { unsafe words[Self.header + 2 * index].load(ordering: .acquiring) }

    private func value(at index: Int) -> UInt { unsafe words[Self.header + 2 * index + 1].load(ordering: .acquiring) }

    private func set(_ address: UInt, _ value: UInt, at index: Int) {
        unsafe words[Self.header + 2 * index].store(address, ordering: .releasing)
        unsafe words[Self.header + 2 * index + 1].store(value, ordering: .releasing)
    }
}
