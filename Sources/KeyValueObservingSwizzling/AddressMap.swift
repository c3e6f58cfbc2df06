// A map from addresses, readable without a lock.
import KeyValueObserving
import Synchronization

/// A map from addresses to words, for any number of threads.
///
/// Reading takes no lock. The version is odd while the table changes. A thread that finds the same even version before
/// and after reading has read a table that did not change in between. Any other thread reads again under the lock.
package final class AddressMap: Sendable {
    private let version = Atomic<UInt>(0)
    /// The table in use, as its word.
    ///
    /// A table that has become too small is kept, because a thread may be reading it. All of these together are smaller
    /// than the one in use.
    private let table = Atomic<UInt>(0)
    /// How many entries there are.
    ///
    /// The version, the table and its entries change under its lock.
    private let count = Guarded(0)

    package init() {}

    deinit { current?.free() }

    private var current: AddressTable? { AddressTable(word: table.load(ordering: .acquiring)) }

    /// The value at an address.
    package func value(at address: UInt) -> UInt? {
        let before = version.load(ordering: .acquiring)
        let found = current?.find(address)
        // A word read during a change implies that its odd version is visible, too.
        if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return found?.value }
        return count.withLock { _ in current?.find(address)?.value }
    }

    /// The value at an address, created if there is none.
    ///
    /// - Parameters:
    ///   - address: The address, which is not 0.
    ///   - make: Makes the value. The lock is held.
    /// - Returns: The value.
    package func value(at address: UInt, orElse make: () -> UInt) -> UInt {
        if let value = value(at: address) { return value }
        return count.withLock { count in
            if let found = current?.find(address) { return found.value }
            let value = make()
            change { tableWithRoom(for: count + 1).insert(value, at: address) }
            count += 1
            return value
        }
    }

    /// Removes the value at an address.
    ///
    /// - Returns: The value, if there was one.
    package func remove(at address: UInt) -> UInt? {
        count.withLock { count in
            guard let table = current, let found = table.find(address) else { return nil }
            change { table.remove(at: found.index) }
            count -= 1
            return found.value
        }
    }

    /// Changes the table, under the lock.
    private func change(_ body: () -> Void) {
        version.add(1, ordering: .relaxed)
        body()
        version.add(1, ordering: .releasing)
    }

    private func tableWithRoom(for count: Int) -> AddressTable {
        if let current, count <= current.capacity / 2 { return current }
        let new = AddressTable(replacing: current)
        table.store(new.word, ordering: .releasing)
        return new
    }
}
