// Where the changes of a thread go: to their recipients, or into the transaction that is open.

/// What a set of a property in a transaction finds.
@usableFromInline
enum Joining {
    /// It is a change of its own.
    case alone
    /// It belongs to a change that the transaction notes: the value only has to be stored, and noted here. The
    /// transaction holds the change.
    case joined(Unretained<NotedChange>?)
}

/// What the makers of changes call where a transaction takes part.
@usableFromInline
enum Sink {
    /// Begins to set a property.
    ///
    /// - Returns: Whether the set belongs to a change that a transaction notes.
    @usableFromInline
    static func join(_ record: PropertyRecord, of object: AnyObject) -> Joining {
        // A set that joins another one would not be reported.
        if EngineTrace.isReporting { return .alone }
        return Transaction.current?.with { $0.join(record, of: object) } ?? .alone
    }

    /// Who is notified of a change of a property that begins on this thread.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - object: The object that changes.
    /// - Returns: Them, or why there are none.
    static func standing(_ record: PropertyRecord, of object: AnyObject) -> PropertyRecord.Standing {
        guard let transaction = Transaction.current?.object else { return record.standing() }
        return record.standing { transaction.needs(of: record, object, $0) }
    }

    /// Calls those who are called before a change.
    static func deliverPrior(
        _ change: PendingChange, to recipients: Recipients, of object: AnyObject, _ elements: ElementsChange?,
        _ values: ChangeValues
    ) {
        guard recipients.hasPriors else { return }
        guard let transaction = Transaction.current?.object else {
            return change.deliverPrior(to: { recipients }, of: object, elements, values)
        }
        // Those at a path that the transaction blocks are called when the change begins there.
        change.deliverPrior(
            to: { transaction.priorRecipients(of: change, object) }, of: object, elements, values,
            exceptAt: transaction.blocks)
    }

    /// Notes that a change is about to be made, after observers were called that are called before it.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - object: The object that changes.
    ///   - announced: The path at the very key path whose change is announced manually.
    static func begin(_ change: PendingChange, of object: AnyObject, announced: ObservedPath? = nil) {
        Transaction.current?.object.begin(change, of: object, announced: announced)
    }

    /// Calls the recipients of a change that was made, now or at the end of the transaction.
    static func deliver(
        _ change: PendingChange, to recipients: Recipients, of object: AnyObject, _ elements: ElementsChange?,
        _ values: ChangeValues
    ) {
        if let transaction = Transaction.current?.object {
            transaction.note(change, of: object, elements, values)
        } else {
            change.deliver(to: recipients, of: object, elements, values)
        }
    }
}
