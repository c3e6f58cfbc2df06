// One registered handler.
import Synchronization

/// The place of a registration in the order in which all registrations of the process were made.
typealias RegistrationID = UInt64

/// A handler that waits for changes of one key path of one object.
///
/// The table of the observed object owns it; the token only knows its number. So a handler is released as soon as its
/// registration is removed and nothing is being delivered to it, whoever still holds the token.
class Registration: ChangeOrigin, @unchecked Sendable {
    let id: RegistrationID
    /// What the handler is told.
    let options: KeyValueObservingOptions
    /// What must be read for it, which is more where equal values are skipped.
    let needs: KeyValueObservingOptions
    /// The observer's type, for a registration made through a controller.
    let observer: String?
    let fileID: StaticString
    let line: UInt
    /// The path it observes, or nil for one of the object's own properties. Set before it is recorded.
    final var path: ObservedPath?
    private let active = Atomic(true)
    private let deliveries = Atomic(0)

    private static let lastID = Atomic<RegistrationID>(0)

    init(
        keyPath: AnyKeyPath, options: KeyValueObservingOptions, needs: KeyValueObservingOptions, observer: String?,
        fileID: StaticString, line: UInt
    ) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.options = options
        self.needs = needs
        self.observer = observer
        self.fileID = fileID
        self.line = line
        super.init(keyPath: keyPath)
    }

    /// Whether it is still to be called. Never true again once it was false.
    final var isActive: Bool { active.load(ordering: .acquiring) }

    /// Ends it: no call starts after this.
    final func deactivate() { active.store(false, ordering: .releasing) }

    final var deliveredCount: Int { deliveries.load(ordering: .relaxed) }

    final func countDelivery() { deliveries.wrappingAdd(1, ordering: .relaxed) }

    /// Calls the handler with what `delivery` says.
    func deliver(_ delivery: borrowing DeliveredChange) {
        preconditionFailure("a subclass that knows the types delivers")
    }
}

/// What one registration is told, with the types left out: the registration knows them.
@safe struct DeliveredChange: ~Copyable {
    /// The root of the registration's key path; an instance of the registration's `Object`.
    let object: AnyObject
    let kind: KeyValueChange
    let indexes: RangeSet<Int>?
    let isPrior: Bool
    /// Points to the registration's `Value?`, or is nil where nobody asked for it.
    let old: UnsafeRawPointer?
    let new: UnsafeRawPointer?
}

/// A registration whose types are known.
final class TypedRegistration<Object: KeyValueObservable, Value>: Registration, @unchecked Sendable {
    typealias Handler = (Object, KeyValueObservedChange<Value>) -> Void

    private let handler: Handler
    /// Whether a change from the first value to the second is not worth a call.
    private let skips: ((Value, Value) -> Bool)?

    init(
        keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions, needs: KeyValueObservingOptions,
        observer: String?, fileID: StaticString, line: UInt, handler: @escaping Handler,
        skips: ((Value, Value) -> Bool)? = nil
    ) {
        self.handler = handler
        self.skips = skips
        super.init(
            keyPath: keyPath, options: options, needs: needs, observer: observer, fileID: fileID, line: line)
    }

    var typedKeyPath: KeyPath<Object, Value> { unsafe unsafeDowncast(keyPath, to: KeyPath<Object, Value>.self) }

    override func deliver(_ delivery: borrowing DeliveredChange) {
        // The table passes an instance of `Object` and pointers to `Value?`: it put this registration where the key
        // path of these types led.
        let old = unsafe delivery.old?.assumingMemoryBound(to: Value?.self)
        let new = unsafe delivery.new?.assumingMemoryBound(to: Value?.self)
        if let skips, !delivery.isPrior, delivery.kind == .setting, let old = unsafe old?.pointee,
            let new = unsafe new?.pointee, skips(old, new)
        {
            return
        }
        call(
            unsafe unsafeDowncast(delivery.object, to: Object.self),
            KeyValueObservedChange(
                kind: delivery.kind,
                newValue: options.contains(.new) ? unsafe new?.pointee : nil,
                oldValue: options.contains(.old) ? unsafe old?.pointee : nil,
                indexes: delivery.indexes, isPrior: delivery.isPrior, origin: self))
    }

    /// Calls the handler with the value as it is now, if it asked for that.
    func deliverInitial(of object: Object) {
        guard options.contains(.initial), isActive else { return }
        let value = options.contains(.new) ? object[keyPath: typedKeyPath] : nil
        ReadingRecorder.suspended {
            call(
                object,
                KeyValueObservedChange(
                    kind: .setting, newValue: value, oldValue: nil, indexes: nil, isPrior: false, origin: self))
        }
    }

    private func call(_ object: Object, _ change: KeyValueObservedChange<Value>) {
        countDelivery()
        handler(object, change)
    }
}
