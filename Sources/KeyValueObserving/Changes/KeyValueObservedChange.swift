// A change as delivered to an observer.

/// The kind of a change.
///
/// The raw values are those of Cocoa's `NSKeyValueChange`.
@nonexhaustive public enum KeyValueChange: UInt, Sendable {
    /// The value was set as a whole.
    case setting = 1
    /// Elements were inserted into a to-many property.
    case insertion
    /// Elements were removed from a to-many property.
    case removal
    /// Elements of a to-many property were replaced.
    case replacement
}

extension KeyValueChange: CustomStringConvertible {
    /// The kind as one word: `setting`, `insertion`, `removal` or `replacement`.
    public var description: String {
        switch self {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        }
    }
}

/// One change of one observed key path, as it is delivered to its observer.
///
/// `Value` is `Any` if one handler serves several key paths, or if the key path is a string. The values are then never
/// optionals: for an `Int?` property that is 3, `change.newValue as? Int` is 3 and `print(change.newValue!)` prints
/// `3`. If the property is nil, the value that you requested is an `Any` that holds nil. So `change.newValue` is not
/// nil, and `change.newValue as? Int` is nil.
///
/// ### Changes of elements
///
/// A change of elements has its kind, its elements and its ``indexes``. If a transaction made several of them, the one call
/// is a setting, and ``steps`` has them in order:
///
/// ```swift
/// var log: [KeyValueChange] = []
/// let token = person.observe(\.tags) { _, change in
///     for step in change.steps { log.append(step.kind) }
///     if change.steps.isEmpty { log.append(change.kind) }
/// }
/// ```
///
/// The initializer is public so that handlers can be tested without an object.
public struct KeyValueObservedChange<Value> {
    /// The kind of the change.
    public let kind: KeyValueChange
    /// The value after the change, or the elements concerned.
    ///
    /// Nil if it was not requested, or if the change is still to come. A value that is itself nil is `.some(nil)`.
    public let newValue: Value?
    /// The value before the change, or the elements concerned.
    ///
    /// Nil if it was not requested. A value that is itself nil is `.some(nil)`.
    public let oldValue: Value?
    /// Whether the change is still to come: the extra delivery that `.prior` requests.
    public let isPrior: Bool
    /// Has the positions and steps, which few changes have.
    @usableFromInline let edit: Edit?
    /// Has the key path.
    @usableFromInline let origin: ChangeKeyPath

    /// The positions concerned, for an insertion, removal or replacement in an ordered to-many property.
    ///
    /// For an insertion they are the positions after the change, otherwise the positions before it.
    public var indexes: RangeSet<Int>? { edit?.positions?.indexes }

    /// The ``indexes`` one by one, in ascending order; empty if there are none.
    public var positions: [Int] { indexes?.ranges.flatMap(Array.init) ?? [] }

    /// The changes of elements that a transaction made, in order, if it made several; empty otherwise.
    ///
    /// The change is a setting then, with those whole values that were requested. The steps, made one after the other
    /// in the value that the registration had, lead to the current one; each has the elements that were requested.
    /// There are none for a registration that was made in the transaction, or if the property was also set as a whole.
    public var steps: [Self] { (edit?.steps as? ChangeSteps<Value>)?.all ?? [] }

    /// The key path that was given at registration.
    public var keyPath: AnyKeyPath { origin.keyPath }

    /// The name of the property or path that changed, such as `age` or `address.city`.
    ///
    /// It equals ``KeyValueObservationInfo/keyPath`` of the registration, before and after the first value. A computed
    /// property has its name if its getter calls ``KeyValueObservable/accessValue(for:name:)``, or if its class lists
    /// it by name; otherwise it has the registration's label, or its type and the line:
    /// `computed Int at Person.swift:12`.
    public var name: String { origin.name }

    /// Creates a change, as a test of a handler would.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - oldValue: The value before the change; `.some(nil)` for a value that is nil.
    ///   - newValue: The value after the change; `.some(nil)` for a value that is nil.
    ///   - indexes: The positions concerned, for an ordered to-many property.
    ///   - steps: The changes of elements that led to a setting.
    ///   - isPrior: Whether the change is still to come.
    ///   - keyPath: The key path of the registration.
    public init(
        kind: KeyValueChange, oldValue: Value? = nil, newValue: Value? = nil, indexes: RangeSet<Int>? = nil,
        steps: [Self] = [], isPrior: Bool = false, keyPath: AnyKeyPath
    ) {
        self.init(
            kind: kind, oldValue: oldValue, newValue: newValue, indexes: indexes, steps: steps, isPrior: isPrior,
            origin: ChangeKeyPath(keyPath: keyPath))
    }

    init(
        kind: KeyValueChange, oldValue: Value?, newValue: Value?, indexes: RangeSet<Int>?, steps: [Self],
        isPrior: Bool, origin: ChangeKeyPath
    ) {
        let edit = indexes.map { Edit(kind, at: .set($0)) } ?? (kind == .setting ? nil : Edit(kind, at: nil))
        self.init(
            kind: kind, oldValue: oldValue, newValue: newValue,
            edit: steps.isEmpty ? edit : Edit(settingBy: ChangeSteps(steps)), isPrior: isPrior, origin: origin)
    }

    @inlinable
    init(
        kind: KeyValueChange, oldValue: Value?, newValue: Value?, edit: Edit?, isPrior: Bool,
        origin: ChangeKeyPath
    ) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.edit = edit
        self.isPrior = isPrior
        self.origin = origin
    }

    /// This change with values of any type, for handlers that serve several key paths.
    @inlinable
    package var erased: KeyValueObservedChange<Any> { mapValues { bare($0) } }

    /// The change with other values.
    @inlinable
    package func mapValues<Other>(_ transform: (Value) -> Other) -> KeyValueObservedChange<Other> {
        KeyValueObservedChange<Other>(
            kind: kind, oldValue: oldValue.map(transform), newValue: newValue.map(transform),
            edit: kind == .setting ? mappedSteps(transform) : edit, isPrior: isPrior, origin: origin)
    }

    /// The steps with other values, of a setting.
    @usableFromInline
    func mappedSteps<Other>(_ transform: (Value) -> Other) -> Edit? {
        steps.isEmpty ? nil : Edit(settingBy: ChangeSteps(steps.map { $0.mapValues(transform) }))
    }
}

// A change is immutable beside its values.
extension KeyValueObservedChange: @unchecked Sendable where Value: Sendable {}
