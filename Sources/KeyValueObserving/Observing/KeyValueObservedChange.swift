// What an observer is told.

/// The kind of a change.
///
/// The raw values are those of Cocoa's `NSKeyValueChange`.
public enum KeyValueChange: UInt, Sendable {
    /// The value was set as a whole.
    case setting = 1
    /// Elements were inserted into a to-many property.
    case insertion
    /// Elements were removed from a to-many property.
    case removal
    /// Elements of a to-many property were replaced.
    case replacement
}

/// One change of one observed key path, as its observer is told it.
///
/// The initializer is public so that handlers can be tested without an object.
public struct KeyValueObservedChange<Value> {
    /// What happened.
    public let kind: KeyValueChange
    /// The value after the change, or the elements concerned.
    ///
    /// Nil if it was not asked for or the change is still to
    /// come. A value that is itself nil is `.some(nil)`.
    public let newValue: Value?
    /// The value before the change, or the elements concerned.
    ///
    /// Nil if it was not asked for. A value that is itself nil
    /// is `.some(nil)`.
    public let oldValue: Value?
    /// Whether the change is still to come: the extra delivery that `.prior` asks for.
    public let isPrior: Bool
    /// Holds the positions, which few changes have.
    @usableFromInline let changedIndexes: ChangedIndexes?
    /// Holds the key path.
    ///
    /// It is the registration's own: to count references to the key path itself, which all threads use, would make them
    /// wait for one another.
    @usableFromInline let origin: ChangeOrigin

    /// The positions concerned in an ordered to-many property: old ones for a removal or a replacement, new ones for
    /// an insertion; nil for a setting.
    public var indexes: RangeSet<Int>? { changedIndexes?.indexes }

    /// The key path that was given at registration.
    public var keyPath: AnyKeyPath { origin.keyPath }

    /// The key path that was given at registration, if that was a string.
    public var keyPathString: String? { origin.text }

    /// Creates a change, as a test of a handler would.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - newValue: The value after the change; `.some(nil)` for a value that is nil.
    ///   - oldValue: The value before the change; `.some(nil)` for a value that is nil.
    ///   - indexes: The positions concerned, for an ordered to-many property.
    ///   - isPrior: Whether the change is still to come.
    ///   - keyPath: The key path of the registration.
    public init(
        kind: KeyValueChange, newValue: Value? = nil, oldValue: Value? = nil, indexes: RangeSet<Int>? = nil,
        isPrior: Bool = false, keyPath: AnyKeyPath
    ) {
        self.init(
            kind: kind, newValue: newValue, oldValue: oldValue,
            changedIndexes: indexes.map { ChangedIndexes(.set($0)) },
            isPrior: isPrior, origin: ChangeOrigin(keyPath: keyPath))
    }

    @inlinable
    init(
        kind: KeyValueChange, newValue: Value?, oldValue: Value?, changedIndexes: ChangedIndexes?, isPrior: Bool,
        origin: ChangeOrigin
    ) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.changedIndexes = changedIndexes
        self.isPrior = isPrior
        self.origin = origin
    }

    /// The same change with values of any type, for handlers that serve several key paths.
    @inlinable
    var erased: KeyValueObservedChange<Any> {
        KeyValueObservedChange<Any>(
            kind: kind, newValue: newValue.map { $0 as Any }, oldValue: oldValue.map { $0 as Any },
            changedIndexes: changedIndexes, isPrior: isPrior, origin: origin)
    }
}

/// The positions of a change of a to-many property, if that is ordered.
@usableFromInline
class ChangedIndexes {
    final let positions: Positions?

    /// As they are told, which few handlers ask for.
    final var indexes: RangeSet<Int>? { positions?.indexes }

    @usableFromInline
    init(_ positions: Positions?) {
        self.positions = positions
    }
}
