// What a transaction has touched.

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
        if let last = steps.last, last.takesSetting(upTo: newest, []) { return .joined(Unretained(last)) }
        let step = NotedChange(upTo: newest)
        (step.isOldNeeded, step.isNewNeeded) = (recipients.needsOld, recipients.needsNew)
        steps.append(step)
        return .joined(Unretained(step))
    }

    /// Notes a change that was made.
    func note(
        _ change: Change, _ recipients: Recipients, _ elements: ElementsChange?, _ values: ChangeValues
    ) {
        let ignored = change.heldBack?.all ?? IgnoredRegistrations.current
        let isNewest = change.newestNumber == Registration.newestNumber
        joinable = elements == nil && isNewest && ignored.isEmpty && source.isAutomatic ? recipients.version : nil
        guard let last = recipients.direct.last?.number else { return }
        let boxes = source.description?.boxed(values) ?? (old: nil, new: nil, whole: nil)
        if elements == nil, let step = steps.last, step.takesSetting(upTo: last, ignored) {
            // What it replaces is released when nothing is being changed any more, for that may run code of users.
            let replaced = step.new
            (step.new, step.isNewOwn) = (boxes.new, true)
            withExtendedLifetime(replaced) {}
            return
        }
        let step = NotedChange(
            upTo: change.newestNumber, ignored: ignored, elements, old: boxes.old, new: boxes.new, whole: boxes.whole,
            event: change.event)
        step.isNewOwn = true
        step.isNewNeeded = recipients.needsNew
        steps.append(step)
    }

    /// Adds what is to be delivered, in the order of the registrations.
    func addCalls(to calls: inout [DeliveryBatch.Call]) {
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
        if steps.count == 1, steps[0].concerns(number) { return call(steps[0]) }
        if registration.site.isOfAnyProperty { return steps.first { $0.concerns(number) }.map(call) ?? () }
        var setting: NotedChange?
        for step in steps {
            guard step.concerns(number) else {
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

/// A watch that depends on a property that was changed in a transaction: it is evaluated once, at the end.
final class TouchedWatch {
    private let watch: Watch
    /// The registrations that the changes concern.
    @safe @exclusivity(unchecked) private var touches:
        [(newest: RegistrationNumber, ignored: Set<RegistrationNumber>)] = []
    /// The event of the first change.
    private let event: EngineTrace.EventNumber
    /// Whether something changed since it was evaluated.
    @safe @exclusivity(unchecked) private(set) var isDue = false
    /// What was read at the end, and from where.
    @safe @exclusivity(unchecked) private var value: (box: BoxedValue, subject: WatchSubject, root: AnyObject)?
    /// The value that its observers had received before.
    @safe @exclusivity(unchecked) private var old: BoxedValue?

    init(_ watch: Watch, _ event: EngineTrace.EventNumber) {
        self.watch = watch
        self.event = event
    }

    /// Notes that something changed that it depends on.
    func touch(upTo newest: RegistrationNumber, _ ignored: Set<RegistrationNumber>) {
        isDue = true
        if let last = touches.indices.last, touches[last].ignored == ignored {
            touches[last].newest = max(touches[last].newest, newest)
        } else {
            touches.append((newest, ignored))
        }
    }

    /// Evaluates it, unless it is held: then the change that holds it delivers.
    func evaluate() {
        isDue = false
        let newest = touches.map(\.newest).max() ?? 0
        guard case .evaluate(let number) = watch.turn(upTo: newest) else { return }
        if number > newest { touches.append((number, [])) }
        // It is claimed once.
        if value != nil {
            value = nil
            watch.close()
        }
        guard let subject = watch.subject, let root = subject.root else { return watch.close() }
        value = (
            EngineTrace.inside(event.isReported ? event : EngineTrace.cause) {
                watch.evaluate(subject, from: root)
            }, subject, root
        )
    }

    func addCalls(to calls: inout [DeliveryBatch.Call]) {
        guard let value else { return }
        let registrations = watch.registrations.all
        old = watch.exchangeLastValue(for: value.box, keeping: registrations.contains { $0.site.keepsLastValue })
        let change = NotedChange(upTo: .max, old: old, new: value.box, event: event)
        for registration in registrations {
            let number = registration.number
            if touches.contains(where: { number <= $0.newest && !$0.ignored.contains(number) }) {
                calls.append(.init(registration: registration, object: value.root, keyPath: nil, change: change))
            } else {
                registration.pass { old }
            }
        }
    }

    /// Ends what the evaluation began: its observers have been called.
    func finish() {
        guard let value else { return }
        self.value = nil
        var (new, old) = (Optional(value.box), old)
        self.old = nil
        watch.finish(&new, &old, value.subject)
    }
}
