// A change that is made in one call, where code of others may run before the observers are called.

/// A change of a property in one call: what is done before the store, after it, and the delivery.
@usableFromInline
final class CarefulChange: PendingChange, @unchecked Sendable {
    /// The object, which the setter holds.
    private let object: Unretained<AnyObject>
    private let recipients: Recipients

    /// Begins a change on this thread; nil if nobody is notified, or if a change around it speaks for it.
    @usableFromInline
    static func begin(_ record: PropertyRecord, of object: AnyObject) -> CarefulChange? {
        let newestNumber = Registration.newestNumber
        switch record.standing() {
        case .nobody: return nil
        case .nested:
            record.pendingOnThisThread()?.becomeDirty()
            return nil
        case .recipients(let recipients):
            return CarefulChange(record, newestNumber, of: object, for: recipients)
        }
    }

    private init(_ record: PropertyRecord, _ newestNumber: UInt64, of object: AnyObject, for recipients: Recipients) {
        self.object = Unretained(object)
        self.recipients = recipients
        super.init(record, newestNumber)
        include(recipients.paths)
        // A change that came first on this thread would have left no recipients.
        _ = record.begin(self)
    }

    /// Whether the property's value is to be read before the change.
    @usableFromInline var needsOld: Bool { recipients.needsOld }
    /// Whether the property's value is to be read after the change.
    @usableFromInline var needsNew: Bool { recipients.needsNew }

    /// Whether some are called before the change too.
    var hasPriors: Bool { recipients.hasPriors }

    /// Does what is to be done before the store.
    ///
    /// - Parameters:
    ///   - elements: How some elements change; nil if the whole value is set.
    ///   - values: The old value or elements.
    @usableFromInline
    func prepare(_ elements: ElementsChange?, _ values: ChangeValues) { prepare(elements, values) { _, _ in false } }

    /// The same, given what says whether a path's value is what the property stores.
    func prepare(
        _ elements: ElementsChange?, _ values: ChangeValues, _ isStored: (PathCore, BoxedValue) -> Bool
    ) {
        object.with { object in
            findOldValues(of: object)
            if elements != nil { findStoredValues(of: object, isStored) }
            deliverPrior(to: recipients, of: object, elements, values)
            Transaction.current?.begin(self, of: object)
        }
    }

    /// Does what is to be done after the store and before the new value is read.
    @usableFromInline
    func finish() { object.with { finish(of: $0) } }

    /// The same where elements changed, given what says whether a path's value is what the property stores.
    func finish(_ isStored: ((PathCore, BoxedValue) -> Bool)?) {
        object.with { finish(of: $0, isOfElements: isStored) }
    }

    /// Calls the recipients.
    @usableFromInline
    func deliver(_ elements: ElementsChange?, _ values: ChangeValues) {
        object.with { deliver(to: recipients, of: $0, elements, values) }
    }
}
