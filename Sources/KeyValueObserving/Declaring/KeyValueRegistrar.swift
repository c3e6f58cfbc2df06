// The one stored property of an observable object, which leads to its registrations.
public import Synchronization

/// The one stored property an observable class needs.
///
/// ```swift
/// final class Person: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var age = 0
/// }
/// ```
///
/// It is one word, empty until the first observer arrives. When the object is destroyed, its registrations end and
/// their handlers are released.
///
/// Declare it with `let`. Replacing the registrar of an object that has registrations traps, as does observing a second
/// object that shares it.
///
/// Safe to use from any thread.
public struct KeyValueRegistrar: ~Copyable, Sendable {
    /// The address of the object's `ObservationTable`, retained, or 0.
    ///
    /// Once set, it stays until the object dies. Code that holds the object may therefore use the table without
    /// retaining it.
    @usableFromInline let word = Atomic<UInt>(0)

    /// Creates the registrar of a new object.
    public init() {}

    deinit {
        guard let table = existingTable else { return }
        table.endWithOwner()
        unsafe Unmanaged.passUnretained(table).release()
    }

    /// The table's address, or 0.
    @inlinable
    var tableAddress: UInt {
        @inline(__always) get { word.load(ordering: .acquiring) }
    }

    /// Whether the object with the table at `tableAddress` has observers.
    ///
    /// It takes the address and not the registrar, because the compiler borrows a registrar without cost only for a
    /// single use.
    @inlinable @inline(__always)
    static func isObserved(_ tableAddress: UInt) -> Bool {
        guard let table = Unretained<ObservationTable>(at: tableAddress) else { return false }
        return table.with { $0.observedProperties.load(ordering: .relaxed) != 0 }
    }

    /// The object's table, if there is one.
    package var existingTable: ObservationTable? { Unretained(at: tableAddress)?.object }

    /// The object's table, created at the first use.
    @usableFromInline
    package func table() -> ObservationTable {
        if let table = existingTable { return table }
        let new = unsafe Unmanaged.passRetained(ObservationTable())
        let (exchanged, _) = word.compareExchange(
            expected: 0, desired: unsafe UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        if exchanged { return unsafe new.takeUnretainedValue() }
        // Another thread was first.
        unsafe new.release()
        return existingTable ?? table()
    }
}

extension KeyValueObservable {
    /// The object's table, created at the first use, for an object of unknown type.
    var observationTable: ObservationTable { keyValueRegistrar.table() }
}
