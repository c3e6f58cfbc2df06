// A change that a transaction keeps until its end.

/// Settings of a property that follow one another in a transaction are one change, as long as they concern the same
/// registrations. What is not part of the first change of a property follows in `later`.
extension Change {
    /// The last change of the property.
    var last: Change { later.last ?? self }

    /// Whether a setting belongs to the last change of the property, if it concerns registrations up to a number.
    func takesSetting(_ newest: RegistrationNumber, _ ignored: Set<RegistrationNumber>?) -> Bool {
        last.elements == nil && last.concerned.include(newest, ignoring: ignored)
    }

    /// Begins as a setting that concerns registrations on the property itself.
    func begin(_ recipients: Recipients) {
        keptSource = source
        (isOldNeeded, isNewNeeded) = (recipients.needsOld, recipients.needsNew)
    }

    /// Notes a set that belongs to it.
    @inlinable
    func note<Value>(old: Value, new value: Value) {
        if isOldNeeded {
            isOldNeeded = false
            keep(old, in: &self.old)
        }
        if isNewNeeded { keep(value, in: &new) }
    }

    /// Keeps a value in a box that is there for it.
    @inlinable
    func keep<Value>(_ value: Value, in box: inout BoxedValue?) {
        if let box { box.replace(with: value) } else { box = .holding(value) }
    }

    /// Keeps its values until the end of the transaction.
    func note(_ elements: ElementsChange?, _ values: BoxedValues) {
        keptSource = source
        keep(elements, values)
        (isOldNeeded, isNewNeeded) = (false, needsNew)
    }

    /// Lets go of what it kept, after its observers have been called.
    func endKeeping() {
        // The source goes last.
        let source = keptSource.take()
        if !touched.isEmpty { touched = [] }
        while let next = later.popLast() { next.endKeeping() }
        if elements != nil { (elements, whole) = (nil, nil) }
        joinable = nil
        object = nil
        finish()
        withExtendedLifetime(source) {}
    }

    // MARK: At the end of the transaction

    /// Adds what is to be delivered, in the order of the registrations.
    func addDeliveries(to deliveries: inout ContiguousArray<DeliveredChange>) {
        let source = source
        let object = source.table.object
        if later.isEmpty, touched.isEmpty, borrow(from: source) {
            // A watch may depend on it since then.
            if let object, unretainedRecipients.with({ $0.watches.isEmpty }) {
                deliveries.append(self)
                return prepare(of: object)
            }
            letGo()
        }
        let keyPath = source.table.isWatched ? source.keyPath : nil
        if later.isEmpty {
            if touched.isEmpty {
                guard let object else { return }
                prepare(Recipients(direct: source.observers, watches: [], at: keyPath), of: object, [])
            } else {
                let found = touched.filter { !$0.finding.isNothing }
                let direct = object == nil ? RegistrationList() : source.observers
                let watches = ContiguousArray(found.compactMap { touched in touched.subject.map { touched.watch.alone($0) } })
                prepare(
                    Recipients(direct: direct, watches: watches, at: keyPath), of: object,
                    ContiguousArray(found.map { $0.finding.told(to: $0.concerned, by: concerned) }))
            }
            deliveries.append(self)
            return
        }
        // Each registration is called with all that concerns it, one after the other.
        var single: [(number: RegistrationNumber, change: DeliveredChange)] = []
        if let object {
            source.observers.visit { registration in
                steps(for: registration) { change in
                    single.append(
                        (registration.number, DeliveredChange(change, for: registration, of: object, at: keyPath)))
                }
            }
        }
        for touched in touched where !touched.finding.isNothing {
            touched.watch.registrations.visit { registration in
                let part = DeliveredChange(touched.concerned)
                part.event = touched.event
                let watches = touched.subject.map { touched.watch.alone($0, RegistrationList([registration])) }
                part.prepare(
                    Recipients(direct: RegistrationList(), watches: watches.map { [$0] } ?? []), of: object,
                    [touched.finding])
                single.append((registration.number, part))
            }
        }
        deliveries += single.sorted { $0.number < $1.number }.map(\.change)
    }

    /// Calls `body` with each change that a registration is called with: settings that follow one another as one.
    private func steps(for registration: Registration, _ body: (DeliveredChange) -> Void) {
        let (number, steps) = (registration.number, [self] + later)
        if registration.site.isOfAnyProperty {
            return steps.first { $0.concerned.contains(number) }.map(body) ?? ()
        }
        var setting: DeliveredChange?
        for step in steps {
            guard step.concerned.contains(number) else {
                if setting == nil { registration.miss { step.elements == nil ? step.old : nil } }
                continue
            }
            if step.elements == nil {
                setting = setting.map { step.joined(to: $0) } ?? step
                continue
            }
            if let setting { body(setting) }
            setting = nil
            body(step)
        }
        if let setting { body(setting) }
    }

    /// Both settings as one.
    private func joined(to former: DeliveredChange) -> DeliveredChange {
        let both = DeliveredChange(former.concerned)
        both.event = former.event
        both.keep(nil, BoxedValues(old: former.old, new: new))
        return both
    }
}
