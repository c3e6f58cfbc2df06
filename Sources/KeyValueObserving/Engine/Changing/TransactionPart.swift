// What a transaction keeps of one property.

/// What a transaction keeps of one property, beside the mutation that it keeps, which has the values of the last step.
///
/// Settings that follow one another are one step, as long as nobody comes to the property. A change of elements is a step of
/// its own. At the end all steps are one call.
final class TransactionPart {
    // No access lasts while code of others runs.
    /// The source, held, and the object while its observers are called.
    @safe @exclusivity(unchecked) private var source: Source?
    @safe @exclusivity(unchecked) private var object: AnyObject?
    /// The steps before the last one.
    @safe @exclusivity(unchecked) private var earlier: ContiguousArray<Step> = []
    /// Of the last step: how some elements change, and the whole value after it, if several threads change the property.
    @safe @exclusivity(unchecked) private var edit: Edit?
    @safe @exclusivity(unchecked) private var whole: BoxedValue?
    /// The place of the last step, and of the first one, among all changes of the transaction.
    @safe @exclusivity(unchecked) private var lastPlace = 0
    @safe @exclusivity(unchecked) private(set) var place = 0
    /// Registrations with a later number were made inside the transaction, or after the first step was announced.
    @safe @exclusivity(unchecked) private var newestBefore: RegistrationNumber = 0
    /// The watches that the property touched first.
    @safe @exclusivity(unchecked) private var touched: ContiguousArray<DueWatch> = []
    /// What is delivered of several steps, and what to registrations that were made inside, by their first step.
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

    /// Begins to be kept with a setting, whose values follow.
    func beginKeeping(_ recipients: Recipients, at place: Int) {
        keptPart().begin(source, at: place)
        joinNeeds = JoinNeeds(old: recipients.needsOld, new: recipients.needsNew)
    }

    /// Begins to be kept with its values.
    func beginKeeping(_ values: KeptValues, at place: Int) {
        keptPart().begin(source, at: place)
        keep(values, joinedBy: needsNew)
    }

    private func keep(_ values: KeptValues, joinedBy needsNew: Bool) {
        (old, new) = (values.old, values.new)
        part?.keep(values)
        joinNeeds = JoinNeeds(old: false, new: needsNew)
    }

    /// Adds the change that another mutation is as a step.
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

    /// Finds its recipients and what they get, when the watches have been evaluated.
    func prepareDelivery() { part?.prepareDelivery(of: self) }

    /// Calls `body` with what its observers get.
    func withKept(_ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void) {
        part?.withValues(of: self, body)
    }

    /// Lets go of what it kept, after its observers have been called.
    func endKeeping() {
        // The source goes last.
        let source = part?.end()
        joinable = nil
        finish()
        withExtendedLifetime(source) {}
    }
}

extension Unretained where Object == Mutation {
    /// Where the value of a set is put that belongs to the last step, if that is all there is to note of it.
    @usableFromInline
    var placeOfNew: UnsafeMutableRawPointer? {
        unsafe with { change in
            guard change.joinNeeds.new, !change.joinNeeds.old else { return nil }
            return unsafe change.newBox?.with { unsafe $0.content == .filled ? $0.pointer : nil }
        }
    }

    /// Notes a set that belongs to the last step, and may be the first one of it.
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

    /// Finds `newestBefore`, once a difference is made by it.
    private func noteNewestBefore() {
        let newest = Transaction.current?.with { $0.newestBefore } ?? 0
        newestBefore = min(newest, earlier.first?.newest ?? newest)
    }

    /// Whether the last step is one of elements.
    fileprivate var isOfElements: Bool { edit != nil }

    /// Adds a watch that no property before it has touched.
    func touch(_ watch: DueWatch) { touched.append(watch) }

    /// The watches that are to be evaluated.
    var dueWatches: [DueWatch] { touched.filter(\.isDue) }

    fileprivate func prepareDelivery(of mutation: Mutation) {
        guard let source else { return }
        object = source.table.object
        mutation.findRecipients()
        // Watches that another property has touched are notified with that; one that does not depend on this any more, here.
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
        // An object that is gone has no observers, but watches of others.
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

    /// Several steps as one setting, from the step on from which registrations take part; for those that were made inside, one
    /// step is a setting, too.
    private func values(from first: Int, of mutation: Mutation, late isLate: Bool = false) -> KeptValues {
        let last = KeptValues(edit, old: mutation.old, new: mutation.new, whole: whole)
        let steps = earlier.map(\.values)[first...] + [last]
        let edits = steps.prefix { $0.edit != nil }
        let isOfElements = !isLate && edits.count == steps.count
        let (new, needs) = (last.edit == nil ? last.new : last.whole, mutation.needsOfElements)
        var (old, areComplete) = (steps[first].old, true)
        if !edits.isEmpty {
            let after = edits.endIndex < steps.endIndex ? steps[edits.endIndex].old : new
            // Without that nobody knows whether something was set silently between the steps.
            let isNeeded = needs.contains(.old) || isOfElements && needs.contains(.new)
            let before = isNeeded ? after?.undoing(edits, mutation.source.description.valueType) : nil
            (old, areComplete) = (needs.contains(.old) ? before?.value : nil, before?.isComplete ?? true)
        }
        return KeptValues(
            isOfElements ? Edit(settingBy: KeptSteps(Array(steps), complete: areComplete)) : nil, old: old, new: new)
    }

    /// Whether some of the recipients were made inside, and get something else than the others.
    func isUneven(for recipients: Unretained<Recipients>, _ newest: RegistrationNumber) -> Bool {
        (isOfElements || !earlier.isEmpty) && hasLate(recipients, newest)
    }

    private func hasLate(_ recipients: Unretained<Recipients>, _ newest: RegistrationNumber) -> Bool {
        newestBefore < newest && recipients.with { $0.newest > newestBefore }
    }

    /// The first step that a registration takes part in, if that was made inside; nil otherwise.
    private func lateStep(of number: RegistrationNumber, _ newest: RegistrationNumber) -> (step: Int, place: Int)? {
        guard isOfElements || !earlier.isEmpty, number > newestBefore, number <= newest else { return nil }
        let step = earlier.firstIndex { number <= $0.newest } ?? earlier.count
        return (step, step < earlier.count ? earlier[step].place : lastPlace)
    }

    /// What a registration on the property gets that was made inside, and its place among all changes; nil if it was not.
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
