// One registered handler.
import Synchronization

/// The place of a registration in the order in which all registrations of the process were made.
typealias RegistrationID = UInt64

/// A handler that waits for changes of one key path of one object.
///
/// The table of the observed object owns it; the token only knows its number. So a handler is released as soon as its
/// registration is removed and nothing is being delivered to it, whoever still holds the token.
@usableFromInline
final class Registration: @unchecked Sendable {
    /// Tells the handler of a change.
    ///
    /// It knows the types, and is compiled where they are known.
    @usableFromInline typealias Teller = (_ change: borrowing DeliveredChange, _ registration: Registration) -> Void

    let id: RegistrationID
    /// Stands for the key path in changes.
    ///
    /// They must not hold the registration: a handler that keeps them in what it
    /// captures would keep itself.
    @usableFromInline let origin: ChangeOrigin
    /// What the handler is told.
    @usableFromInline let options: KeyValueObservingOptions
    /// What must be read for it, which is more where equal values are skipped.
    let needs: KeyValueObservingOptions
    /// The observer's type, for a registration made through a controller.
    let observer: String?
    let fileID: StaticString
    let line: UInt
    /// The path it observes, or nil for one of the object's own properties.
    ///
    /// Set before it is recorded.
    var path: ObservedPath?
    /// The key path as it was given, if that was a string.
    ///
    /// Set before it is recorded.
    @usableFromInline var text: String? {
        get { origin.text }
        set { origin.text = newValue }
    }
    private let teller: Teller
    private let active = Atomic(true)
    private let deliveries = Atomic(0)

    private static let lastID = Atomic<RegistrationID>(0)

    /// The number of the registration made last.
    static var newestID: RegistrationID { lastID.load(ordering: .relaxed) }

    @usableFromInline
    init(
        keyPath: AnyKeyPath, options: KeyValueObservingOptions, needs: KeyValueObservingOptions, observer: String?,
        fileID: StaticString, line: UInt, teller: @escaping Teller
    ) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.options = options
        self.needs = needs
        self.observer = observer
        self.fileID = fileID
        self.line = line
        self.teller = teller
        origin = ChangeOrigin(keyPath: keyPath)
    }

    /// Whether it is still to be called.
    ///
    /// Never true again once it was false.
    var isActive: Bool { active.load(ordering: .acquiring) }

    /// Ends it: no call starts after this.
    func deactivate() { active.store(false, ordering: .releasing) }

    /// Whether a delivery concerns it now.
    func isToBeTold(prior: Bool) -> Bool { isActive && (!prior || options.contains(.prior)) }

    /// How often the handler was called.
    var deliveredCount: Int { deliveries.load(ordering: .relaxed) }

    /// Counts a call of the handler, which is about to be made.
    @usableFromInline
    func countDelivery() { deliveries.wrappingAdd(1, ordering: .relaxed) }

    /// Tells the handler of a change.
    func tell(_ change: borrowing DeliveredChange) { teller(change, self) }

    /// Tells the handler the value as it is now, if it asked for that.
    ///
    /// - Parameters:
    ///   - object: The root of its key path.
    ///   - value: Points to the value as an optional, if it asked for that.
    @usableFromInline
    func tellInitial(of object: AnyObject, value: UnsafeRawPointer?) {
        guard isActive else { return }
        ReadingRecorder.suspended {
            unsafe tell(
                DeliveredChange(
                    object: .passUnretained(object), elements: nil, isPrior: false, old: nil, new: value))
        }
    }
}

/// What one registration is told, with the types left out: the registration's teller knows them.
@usableFromInline
@safe struct DeliveredChange: ~Copyable {
    /// The root of the registration's key path; whoever makes the delivery holds it.
    @usableFromInline let object: Unmanaged<AnyObject>
    /// How some elements change, unless the whole value is set; whoever makes the delivery holds it.
    @usableFromInline let elements: Unmanaged<ElementsChange>?
    @usableFromInline let isPrior: Bool
    /// Point to the value as an optional, or are nil where the registration does not need it.
    @usableFromInline let old: UnsafeRawPointer?
    @usableFromInline let new: UnsafeRawPointer?

    /// - Parameters:
    ///   - object: The root.
    ///   - elements: Says how some elements changed, unless the whole value was set.
    ///   - isPrior: Whether the change is still to be made.
    ///   - old: Points to the old value or the elements that leave.
    ///   - new: Points to the new value or the elements that come.
    init(
        object: Unmanaged<AnyObject>, elements: Unmanaged<ElementsChange>?, isPrior: Bool, old: UnsafeRawPointer?,
        new: UnsafeRawPointer?
    ) {
        unsafe self.object = object
        unsafe self.elements = elements
        self.isPrior = isPrior
        unsafe self.old = old
        unsafe self.new = new
    }

    /// Calls `body` with the root as what it was registered as.
    ///
    /// A registration is kept on a table of an instance of that class.
    @inlinable
    func withObject<Object: AnyObject>(as _: Object.Type, _ body: (Object) -> Void) {
        unsafe object._withUnsafeGuaranteedRef { unsafe body(unsafeDowncast($0, to: Object.self)) }
    }

    /// The change as it is told to the handler of a registration of this value's type.
    @inlinable
    func change<Value>(of _: Value.Type, for registration: Registration) -> KeyValueObservedChange<Value> {
        let (kind, indexes) = unsafe elements == nil ? (.setting, nil) : kindOfElements
        return KeyValueObservedChange(
            kind: kind, newValue: newValue(of: Value.self), oldValue: oldValue(of: Value.self), changedIndexes: indexes,
            isPrior: isPrior, origin: registration.origin)
    }

    @usableFromInline var kindOfElements: (KeyValueChange, ChangedIndexes?) {
        unsafe elements.map { unsafe $0._withUnsafeGuaranteedRef { ($0.kind, $0.indexes) } } ?? (.setting, nil)
    }

    @inlinable
    func oldValue<Value>(of _: Value.Type) -> Value? {
        unsafe old.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }

    @inlinable
    func newValue<Value>(of _: Value.Type) -> Value? {
        unsafe new.flatMap { unsafe $0.assumingMemoryBound(to: Value?.self).pointee }
    }
}
