// A property that a transaction has touched.

/// A property that was changed in a transaction, with its changes and the watches that it touched first.
///
/// Its object is not kept alive.
final class TouchedSource {
    let source: Source
    private let reference: RootReference<AnyObject>
    // Only the thread of the transaction uses it, and no access lasts while code of others runs.
    /// The changes in their order: settings that follow one another are one, unless they concern others.
    @safe @exclusivity(unchecked) private var steps: ContiguousArray<NotedChange> = []
    /// The watches that depend on the property, and on none that was changed before it.
    @safe @exclusivity(unchecked) var watches: ContiguousArray<TouchedWatch> = []
    /// Where the next set belongs to the last step: as long as nobody comes or goes.
    @safe @exclusivity(unchecked) private var joinable: UInt32?

    init(_ source: Source, of object: AnyObject) {
        self.source = source
        reference = RootReference(object)
    }

    /// Begins to set the property, if the set belongs to the last change.
    func join() -> Joining {
        guard let joinable, source.isFree(since: joinable) else { return .alone }
        return .joined(steps.last.map { Unretained($0) })
    }

    /// Begins to set the property, which concerns none but registrations on the property itself.
    func begin(_ recipients: Recipients) -> Joining {
        guard let newest = recipients.direct.last?.number else { return .alone }
        joinable = recipients.version
        let concerned = ConcernedRegistrations(upTo: newest, ignoring: nil)
        if let last = steps.last, last.takesSetting(of: concerned) { return .joined(Unretained(last)) }
        let step = NotedChange(concerned)
        (step.isOldNeeded, step.isNewNeeded) = (recipients.needsOld, recipients.needsNew)
        steps.append(step)
        return .joined(Unretained(step))
    }

    /// Notes a change that was made.
    func note(
        _ change: Change, _ recipients: Recipients, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        let concerned = ConcernedRegistrations(upTo: change.newestNumber, ignoring: change.ignored?.with { $0.all })
        let isNewest = change.newestNumber == Registration.newestNumber
        let isJoinable = elements == nil && isNewest && concerned.ignored == nil && source.isAutomatic
        joinable = isJoinable ? recipients.version : nil
        guard let last = recipients.direct.last?.number else { return }
        let boxes = source.boxed(values)
        if elements == nil, let step = steps.last,
            step.takesSetting(of: ConcernedRegistrations(upTo: last, ignoring: concerned.ignored))
        {
            // What it replaces is released when nothing is being changed any more, for that may run code of users.
            let replaced = step.new
            (step.new, step.isNewOwn) = (boxes.new, true)
            withExtendedLifetime(replaced) {}
            return
        }
        let step = NotedChange(concerned, elements, boxes, event: change.event)
        step.isNewOwn = true
        step.isNewNeeded = recipients.needsNew
        steps.append(step)
    }

    /// Adds what is to be delivered, in the order of the registrations.
    func addCalls(to calls: inout [DeliveryCall]) {
        let first = calls.count
        if !steps.isEmpty, let object = reference.object {
            let keyPath = source.table.isWatched ? source.keyPath : nil
            source.observers.visit { registration in
                add(registration) { change in
                    calls.append(.init(registration: registration, object: object, keyPath: keyPath, change: change))
                }
            }
        }
        if watches.isEmpty { return }
        for watch in watches { watch.addCalls(to: &calls) }
        calls[first...].sort { $0.registration.number < $1.registration.number }
    }

    /// What a registration is called with.
    private func add(_ registration: Registration, _ call: (NotedChange) -> Void) {
        let number = registration.number
        if steps.count == 1, steps[0].concerned.contains(number) { return call(steps[0]) }
        if registration.site.isOfAnyProperty { return steps.first { $0.concerned.contains(number) }.map(call) ?? () }
        var setting: NotedChange?
        for step in steps {
            guard step.concerned.contains(number) else {
                if setting == nil { registration.pass { step.elements == nil ? step.old : nil } }
                continue
            }
            if step.elements == nil {
                setting = setting?.joined(by: step) ?? step
                continue
            }
            if let setting { call(setting) }
            setting = nil
            call(step)
        }
        if let setting { call(setting) }
    }
}
