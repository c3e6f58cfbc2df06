// What a transaction knows of one property that was changed in it.

/// The changes of one property in a transaction, and the paths that it was the first to touch.
///
/// It does not keep the object alive.
final class TransactionChange: PendingChange, @unchecked Sendable {
    private let reference: RootReference<AnyObject>
    private var made = TransactionSteps()
    private var priors = TransactionPriors()
    private var followed: [TransactionPath] = []

    init(_ record: PropertyRecord, of object: AnyObject) {
        reference = RootReference(object)
        super.init(record, Registration.newestNumber)
    }

    // MARK: Before a change

    /// Blocks a path, which one of the property's changes is about to concern for the first time.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - number: The number of the last registration that the change concerns.
    ///   - old: Its value, if that is known.
    ///   - object: The object that changes.
    func follow(
        _ path: ObservedPath, upTo number: RegistrationNumber, knownAs old: BoxedValue?, of object: AnyObject
    ) {
        includePath(path, isQuiet: true)?.findOldValue(of: object)
        letGo()
        followed.append(TransactionPath(path, upTo: number, on: thread, knownAs: old))
    }

    /// Notes that another change concerns a path, and registrations up to a number.
    func touch(_ path: ObservedPath, upTo number: RegistrationNumber) {
        followed.first { $0.path === path }?.touch(upTo: number)
    }

    /// Notes that a registration has been made at a path.
    func noteRegistration(at path: ObservedPath) { followed.first { $0.path === path }?.noteRegistration() }

    /// Finds who on the property itself is to be called before a change.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    /// - Returns: Those who have not been called yet.
    func priorRecipients(upTo number: RegistrationNumber) -> RegistrationList {
        var direct = RegistrationList()
        for registration in priors.take(from: record.direct, upTo: number) { direct.append(registration) }
        return direct
    }

    // MARK: After a change

    /// Notes a change of the property.
    func note(
        _ newestNumber: RegistrationNumber, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        let direct = record.direct
        guard let newest = direct.last?.number else { return }
        let (old, new) = record.description?.boxed(values) ?? (nil, nil)
        let whole = elements == nil ? nil : direct.whole(of: object)
        made.add(elements, whole: whole, upTo: newestNumber, newest: newest, old: old, new: new)
    }

    /// Notes what a change means to a path that is not blocked: one whose own change was announced manually.
    func note(_ change: PathChange, _ elements: ElementsChange?, _ values: ChangeValues) {
        guard let core = change.core else { return }
        let path = followed.first { $0.path === change.path } ?? TransactionPath(unblocked: change.path)
        if !followed.contains(where: { $0 === path }) { followed.append(path) }
        let registrations = change.path.registrations
        let newest = registrations.last?.number ?? 0
        let number = change.newestNumber
        switch change.values {
        case .none: break
        case .own(let old, let new): path.made.add(nil, upTo: number, newest: newest, old: old, new: new)
        case .made(let leaf):
            let whole = elements == nil ? nil : change.root.flatMap { registrations.whole(of: $0) }
            leaf.withValues(values) {
                let (old, new) = core.boxed($0)
                path.made.add(elements, whole: whole, upTo: number, newest: newest, old: old, new: new)
            }
        case .madeOld(let leaf, let new):
            leaf.withValues(values.withoutNew) {
                path.made.add(nil, upTo: number, newest: newest, old: core.boxed($0).old, new: new)
            }
        }
    }

    // MARK: At the end

    /// Evaluates the paths.
    ///
    /// - Returns: What is to be delivered, in the order of the registrations.
    func end() -> [DeliveryBatch.Step] {
        takeUp()
        for path in followed where path.unblock() { noteDeferred(path.path) }
        let object = reference.object
        // Only a change that is announced needs the object here.
        finish(of: object ?? self)
        var steps: [DeliveryBatch.Step] = []
        if let object { steps += made.steps(for: record.direct, of: object) }
        for path in followed {
            let change = paths.first { $0.path === path.path }
            guard let root = change?.root ?? path.path.core?.root else { continue }
            if case .own(let old, let new)? = change?.values { path.end(old: old, new: new) }
            steps += path.made.steps(for: path.path.registrations, of: root)
        }
        return steps.sorted { $0.registration.number < $1.registration.number }
    }
}
