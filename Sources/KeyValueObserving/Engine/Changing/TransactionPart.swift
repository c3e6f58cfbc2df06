// The changes of one property in a transaction.

/// The steps of one property that a transaction keeps beside the mutation, which has the values of the last step.
///
/// Consecutive settings are one step, as long as no registration is added to the property. A change of elements is a
/// step of its own. At the end, all steps are one call.
final class TransactionPart {
    // No access lasts while code of users runs.
    /// The source, retained, and the object while its observers are called.
    @safe @exclusivity(unchecked) private var source: Source?
    @safe @exclusivity(unchecked) private var object: AnyObject?
    /// The steps before the last one.
    @safe @exclusivity(unchecked) private var earlier: ContiguousArray<Step> = []
    /// The edit of the last step, and the whole value after it, if several threads change the property.
    @safe @exclusivity(unchecked) private var edit: Edit?
    @safe @exclusivity(unchecked) private var whole: BoxedValue?
    /// The place of the last step, and of the first one, among all changes of the transaction.
    @safe @exclusivity(unchecked) private var lastPlace = 0
    @safe @exclusivity(unchecked) private(set) var place = 0
    /// Registrations with a later number were made inside the transaction, or after the first step was announced.
    @safe @exclusivity(unchecked) private var newestBefore: RegistrationNumber = 0
    /// The watches that this property touched before any other did.
    @safe @exclusivity(unchecked) private var touched: ContiguousArray<DueWatch> = []
    /// The values to deliver for several steps, and those for registrations made inside, by their first step.
    @safe @exclusivity(unchecked) private var values: KeptValues?
    @safe @exclusivity(unchecked) private var lateValues: [Int: KeptValues] = [:]

    private struct Step {
        let values: KeptValues
        /// Registrations with a later number take no part.
        let newest: RegistrationNumber
        let place: Int
    }
}

extension Mutation {
    // MARK: While the transaction is open

    /// Begins to keep the mutation with a setting, whose values follow.
    func beginKeeping(_ recipients: Recipients, at place: Int) {
        keptPart().begin(source, at: place)
        joinNeeds = JoinNeeds(old: recipients.needsOld, new: recipients.needsNew)
    }

    /// Begins to keep the mutation with its values.
    func beginKeeping(_ values: KeptValues, at place: Int) {
        keptPart().begin(source, at: place)
        keep(values, joinedBy: needsNew)
    }

    private func keep(_ values: KeptValues, joinedBy needsNew: Bool) {
        (old, new) = (values.old, values.new)
        part?.keep(values)
        joinNeeds = JoinNeeds(old: false, new: needsNew)
    }

    /// Adds the change of another mutation as a step.
    func addStep(_ step: Mutation, _ values: KeptValues, at place: Int) {
        part?.endStep(old: old, new: new, upTo: newest, at: place)
        takesPart(upTo: step.newest)
        keep(values, joinedBy: step.needsNew)
    }

    /// Whether a setting belongs to the last step, if registrations on the property up to a number take part in it.
    func takesSetting(_ newestDirect: RegistrationNumber) -> Bool {
        part?.isOfElements == false && newestDirect <= newest
    }

    // MARK: At its end

    /// Finds its recipients and their values, after the evaluation of the watches.
    func prepareDelivery() { part?.prepareDelivery(of: self) }

    /// Calls `body` with the values for its observers.
    func withKept(_ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void) {
        part?.withValues(of: self, body)
    }

    /// Releases everything it kept, after its observers have been called.
    func endKeeping() {
        // The source is released last.
        let source = part?.end()
        joinable = nil
        finish()
        withExtendedLifetime(source) {}
    }
}

extension Unretained where Object == Mutation {
    /// The place for the value of a set that belongs to the last step, if nothing else must be recorded.
    @usableFromInline
    var placeOfNew: UnsafeMutableRawPointer? {
        unsafe with { change in
            guard change.joinNeeds.new, !change.joinNeeds.old else { return nil }
            return unsafe change.newBox?.with { unsafe $0.content == .filled ? $0.pointer : nil }
        }
    }

    /// Records a set that belongs to the last step and may be its first one.
    @usableFromInline
    func noteFirst<Value>(old: Value, new: Value) {
        with { change in
            if change.joinNeeds.old {
                change.joinNeeds.old = false
                change.keepOld(old)
            }
            if change.joinNeeds.new { change.keepNew(new) }
        }
    }
}

extension TransactionPart {
    fileprivate func begin(_ source: Source, at place: Int) {
        self.source = source
        (self.place, lastPlace) = (place, place)
    }

    fileprivate func keep(_ values: KeptValues) {
        (edit, whole) = (values.edit, values.whole)
        if edit != nil { noteNewestBefore() }
    }

    fileprivate func endStep(old: BoxedValue?, new: BoxedValue?, upTo newest: RegistrationNumber, at place: Int) {
        earlier.append(
            Step(values: KeptValues(edit, old: old, new: new, whole: whole), newest: newest, place: lastPlace))
        lastPlace = place
        noteNewestBefore()
    }

    /// Finds `newestBefore`, once it makes a difference.
    private func noteNewestBefore() {
        let newest = Transaction.current?.with { $0.newestBefore } ?? 0
        newestBefore = min(newest, earlier.first?.newest ?? newest)
    }

    /// Whether the last step is a change of elements.
    fileprivate var isOfElements: Bool { edit != nil }

    /// Adds a watch that no property before it has touched.
    func touch(_ watch: DueWatch) { touched.append(watch) }

    /// The watches to evaluate.
    var dueWatches: [DueWatch] { touched.filter(\.isDue) }

    fileprivate func prepareDelivery(of mutation: Mutation) {
        guard let source else { return }
        object = source.table.object
        mutation.findRecipients()
        // A watch is notified with the property that touched it first, even if it no longer depends on this property.
        if !touched.isEmpty,
            object == nil || touched.contains(where: { $0.slot(in: mutation.unretainedRecipients) == nil })
        {
            let direct = object == nil ? RegistrationList() : source.direct
            let entries = ContiguousArray(touched.compactMap { $0.entry(at: source) })
            mutation.replaceRecipients(source.recipients(of: direct, entries))
        }
        for _ in 0..<mutation.unretainedRecipients.with({ $0.watches.count }) {
            mutation.payloads.append(WatchPayload())
        }
        for watch in touched {
            guard let slot = watch.slot(in: mutation.unretainedRecipients) else { continue }
            let isAtLeaf = object != nil && mutation.unretainedRecipients.with { $0.watches[slot - 1].isOfElements }
            mutation.payloads[slot - 1] = watch.payload(atLeaf: isAtLeaf, besides: mutation.newest, from: place)
        }
        if isOfElements, whole == nil, let object = object as? any KeyValueObservable {
            let isSetting = !earlier.isEmpty || hasLate(mutation.unretainedRecipients, mutation.newest)
            if mutation.needsWhole || isSetting && !mutation.needsOfElements.isEmpty {
                whole = AnnouncedProperty(object: object, keyPath: source.description.keyPath).read(source)
            }
        }
        if !earlier.isEmpty { values = values(from: 0, of: mutation) }
        mutation.missIgnored()
    }

    fileprivate func withValues(
        of mutation: Mutation, _ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void
    ) {
        // A dead object has no observers, but watches of other objects may depend on it.
        let object = object.map { Unretained($0) } ?? Unretained(self)
        if let values { return body(object, values.edit.map { Unretained($0) }, values.all) }
        body(
            object, edit.map { Unretained($0) }, ChangeValues(old: mutation.old, new: mutation.new, whole: whole))
    }

    fileprivate func end() -> Source? {
        while let watch = touched.popLast() { watch.finish() }
        if !earlier.isEmpty { (earlier, values) = ([], nil) }
        if !lateValues.isEmpty { lateValues = [:] }
        (edit, whole) = (nil, nil)
        object = nil
        return source.take()
    }

    // MARK: All steps as one

    /// Combines the steps from a given one on into one setting; for registrations made inside, a single step is a
    /// setting, too.
    private func values(from first: Int, of mutation: Mutation, late isLate: Bool = false) -> KeptValues {
        let last = KeptValues(edit, old: mutation.old, new: mutation.new, whole: whole)
        let steps = earlier.map(\.values)[first...] + [last]
        let edits = steps.prefix { $0.edit != nil }
        let isOfElements = !isLate && edits.count == steps.count
        let (new, needs) = (last.edit == nil ? last.new : last.whole, mutation.needsOfElements)
        var (old, areComplete) = (steps[first].old, true)
        if !edits.isEmpty {
            let after = edits.endIndex < steps.endIndex ? steps[edits.endIndex].old : new
            // Without the value, it is unknown whether the property was set silently between the steps.
            let isNeeded = needs.contains(.old) || isOfElements && needs.contains(.new)
            let before = isNeeded ? after?.undoing(edits, mutation.source.description.valueType) : nil
            (old, areComplete) = (needs.contains(.old) ? before?.value : nil, before?.isComplete ?? true)
        }
        return KeptValues(
            isOfElements ? Edit(settingBy: KeptSteps(Array(steps), complete: areComplete)) : nil, old: old, new: new)
    }

    /// Whether some of the recipients were made inside the transaction, and receive other values.
    func isUneven(for recipients: Unretained<Recipients>, _ newest: RegistrationNumber) -> Bool {
        (isOfElements || !earlier.isEmpty) && hasLate(recipients, newest)
    }

    private func hasLate(_ recipients: Unretained<Recipients>, _ newest: RegistrationNumber) -> Bool {
        newestBefore < newest && recipients.with { $0.newest > newestBefore }
    }

    /// The first step that a registration made inside takes part in; nil for other registrations.
    private func lateStep(of number: RegistrationNumber, _ newest: RegistrationNumber) -> (step: Int, place: Int)? {
        guard isOfElements || !earlier.isEmpty, number > newestBefore, number <= newest else { return nil }
        let step = earlier.firstIndex { number <= $0.newest } ?? earlier.count
        return (step, step < earlier.count ? earlier[step].place : lastPlace)
    }

    /// The content for a registration made inside, and its place among all changes; nil for other registrations.
    func lateContent(
        for number: RegistrationNumber, of mutation: Mutation, in slot: Int
    ) -> (content: CallContent, place: Int)? {
        guard let object, let (step, place) = lateStep(of: number, mutation.newest) else { return nil }
        let values = lateValues[step] ?? values(from: step, of: mutation, late: true)
        lateValues[step] = values
        let recipients = mutation.unretainedRecipients.object
        return recipients.content(
            in: slot, of: object, nil, ChangeValues(old: values.old, new: values.new), mutation.event
        ).map { ($0, place) }
    }
}
