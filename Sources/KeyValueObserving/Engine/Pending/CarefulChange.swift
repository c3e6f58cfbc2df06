// A change that is made in one call, where code of others may run before the observers are called.

/// A change of a property in one call: what is done before the store, after it, and the delivery.
///
/// Most changes borrow their recipients, and with them the ``PendingChange`` of the change before, which they begin again.
@usableFromInline
@safe struct CarefulChange {
    private let change: PendingChange
    /// The object, which the setter holds.
    private let object: Unretained<AnyObject>
    /// Who is notified; their record holds those that are borrowed.
    private let recipients: Unretained<Recipients>
    /// The same, unless they are borrowed.
    private let held: Recipients?
    /// Whether others have come since.
    private var hasNewcomers = false

    /// Begins a change on this thread.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - borrowed: Its recipients, if they were borrowed; the change gives them back.
    ///   - object: The object that changes.
    /// - Returns: The change; nil if nobody is notified, or if a change around it speaks for it.
    @usableFromInline
    static func begin(
        _ record: PropertyRecord, _ borrowed: Unretained<Recipients>?, of object: AnyObject
    ) -> CarefulChange? {
        if let borrowed {
            let change = borrowed.with { PendingChange.borrowing($0, of: record) }
            return CarefulChange(change, of: object, for: borrowed, holding: nil)
        }
        let newestNumber = Registration.newestNumber
        switch Sink.standing(record, of: object) {
        case .nobody: return nil
        case .nested:
            record.pendingOnThisThread()?.becomeDirty()
            return nil
        case .recipients(let recipients):
            let change = PendingChange(record, newestNumber, for: recipients)
            return CarefulChange(change, of: object, for: Unretained(recipients), holding: recipients)
        }
    }

    /// The same where others may come and go on other threads.
    ///
    /// A path that had left the property before the change began would take part in it.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - borrowed: Its recipients, if they were borrowed; the change gives them back.
    ///   - object: The object that changes.
    ///   - version: How often somebody had come or gone before the recipients were borrowed.
    /// - Returns: The change; nil if nobody is notified, or if others are.
    static func begin(
        _ record: PropertyRecord, _ borrowed: Unretained<Recipients>?, of object: AnyObject, ifStillAt version: UInt32?
    ) -> CarefulChange? {
        guard let borrowed else { return begin(record, nil, of: object) }
        let change = borrowed.with { PendingChange.borrowing($0, of: record) }
        if record.version == version { return CarefulChange(change, of: object, for: borrowed, holding: nil) }
        change.abandon()
        borrowed.with { change.leave(to: $0) }
        record.giveBack(borrowed)
        return nil
    }

    private init(
        _ change: PendingChange, of object: AnyObject, for recipients: Unretained<Recipients>, holding held: Recipients?
    ) {
        self.change = change
        self.object = Unretained(object)
        self.recipients = recipients
        self.held = held
        change.becomePending()
    }

    /// Whether the property's value is to be read before the change.
    @usableFromInline var needsOld: Bool { recipients.with { $0.needsOld } }
    /// Whether the property's value is to be read after the change.
    @usableFromInline var needsNew: Bool { recipients.with { $0.needsNew } }

    /// Whether some are called before the change too.
    var hasPriors: Bool { recipients.with { $0.hasPriors } }

    /// Whether a change of the same property was made inside this one since the last time.
    func takeDirty() -> Bool { change.takeDirty() }

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
            change.findOldValues(of: object)
            if elements != nil { change.findStoredValues(of: object, isStored) }
            recipients.with { Sink.deliverPrior(change, to: $0, of: object, elements, values) }
            Sink.begin(change, of: object)
            if elements != nil { change.noteVersions() }
        }
    }

    /// Prepares the change for registrations that were made, and paths that were led to the property, since it began.
    func prepareForNewcomers() {
        object.with { object in
            change.includeLatePaths(of: object)
            change.findOldValuesForNewcomers(of: object)
        }
    }

    /// Makes those a part of the change who have registered since it began, for the property is being set only now.
    mutating func includeNewcomers() {
        hasNewcomers = true
        change.includeNewcomers()
    }

    /// Does what is to be done after the store and before the new value is read.
    @usableFromInline
    func finish() { finish(nil) }

    /// The same where elements changed, given what says whether a path's value is what the property stores.
    ///
    /// - Returns: Whether a getter has changed the property, so that the change is one of the whole value.
    @discardableResult
    func finish(_ isStored: ((PathCore, BoxedValue) -> Bool)?) -> Bool {
        object.with { change.finish(of: $0, isOfElements: isStored) }
    }

    /// Calls the recipients, and ends the change.
    @usableFromInline
    func deliver(_ elements: ElementsChange?, _ values: ChangeValues) {
        recipients.with { recipients in
            let recipients = hasNewcomers ? change.currentRecipients : recipients
            object.with { Sink.deliver(change, to: recipients, of: $0, elements, values) }
        }
        guard held == nil else { return }
        recipients.with { change.leave(to: $0) }
        change.record.giveBack(recipients)
    }
}
