// Faults that are put into a copy of the library on purpose, each of which some scenario finds.

/// A fault: a line of the library, and what stands there instead while `hasFault` says so.
struct Fault {
    let name: String
    let file: String
    let line: String
    let changed: String
    /// The scenario that finds it.
    let scenario: String
    /// Whether that needs more preemptions than can be tried in all orders.
    let isRare: Bool

    init(
        _ name: String, _ file: String, _ line: String, _ changed: String, foundBy scenario: String,
        rarely isRare: Bool = false
    ) {
        self.name = name
        self.file = file
        self.line = line
        self.changed = changed
        self.scenario = scenario
        self.isRare = isRare
    }
}

extension Fault {
    /// All of them.
    ///
    /// `FAULT` stands for whether the one is put in.
    static let all: [Fault] = registering + delivering + paths + announced + around + shared

    private static let registering = [
        Fault(
            "an ended registration is not marked", "KeyValueObserving/Engine/Registry/RegistrationList.swift",
            "removed?.end()", "if !FAULT { removed?.end() }",
            foundBy: "ending the middle one of three while the property is set"),
        Fault(
            "whether a registration has ended is not looked at before a call",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "if word & Self.ended != 0 { return false }", "if word & Self.ended != 0, !FAULT { return false }",
            foundBy: "ending the middle one of three while the property is set"),
        Fault(
            "a registration made after a change began takes part in it",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "return number <= newestNumber && (!isPrior", "return (FAULT || number <= newestNumber) && (!isPrior",
            foundBy: "registering with .initial while the property changes"),
        Fault(
            "the numbers of registrations are given without order",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "record(at: site, as: Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue)",
            """
            var number = Self.lastNumber.load(ordering: .relaxed) + 1
                    if FAULT {
                        Self.lastNumber.store(number, ordering: .relaxed)
                    } else {
                        number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
                    }
                    record(at: site, as: number)
            """, foundBy: "registrations that two threads make at once are told apart"),
        Fault(
            "a token reads as ended before it is removed", "KeyValueObserving/Observing/KeyValueObservation.swift",
            "keeper.remove(activeNumber)",
            """
            if FAULT { number.store(Self.ended, ordering: .releasing) }
            keeper.remove(activeNumber)
            """, foundBy: "two threads end one registration while a third one sets"),
        Fault(
            "two threads may make the table of an object", "KeyValueObserving/Declaring/KeyValueRegistrar.swift",
            "if exchanged { return unsafe new.takeUnretainedValue() }",
            """
            if FAULT { word.store(unsafe UInt(bitPattern: new.toOpaque()), ordering: .releasing) }
            if exchanged || FAULT { return unsafe new.takeUnretainedValue() }
            """, foundBy: "registering while the property changes"),
        Fault(
            "two threads may make the record of a property", "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "if let record = unretainedRecord(of: property)?.object { return record }\\n            // Nothing",
            "if !FAULT, let record = unretainedRecord(of: property)?.object { return record }\\n            // Nothing",
            foundBy: "two first registrations of one property"),
        Fault(
            "whether a property is observed is written without the lock",
            "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "if !isManual { table.setObservedLocked(isObservedLocked, self) }",
            "if !isManual, !FAULT { table.setObservedLocked(isObservedLocked, self) }",
            foundBy: "registering while another property is set"),
        Fault(
            "a path is entered into the table without looking again",
            "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "if insert({ $0.paths.insert(new, ifCandidatesAre: candidates) }) { return new }",
            """
            if FAULT {
                return withContents { contents in
                    _ = contents.paths.insert(new, ifCandidatesAre: contents.paths.candidates(for: name.hash))
                    return new
                }
            }
            if insert({ $0.paths.insert(new, ifCandidatesAre: candidates) }) { return new }
            """, foundBy: "one computed property is first registered by two threads"),
        Fault(
            "a registration is recorded at a path that has ended", "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "guard state.core != nil else { return false }",
            "guard state.core != nil || FAULT else { return false }",
            foundBy: "one path is registered while the last registration at it ends"),
        Fault(
            "a handler is released under a lock", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "let removed = change { $0.direct.remove(number) }",
            """
            let removed = change { state -> Registration? in
                        let removed = state.direct.remove(number)
                        return FAULT ? nil : removed
                    }
            """,
            foundBy: "a token is released while the property is set"),
    ]

    private static let delivering = [
        Fault(
            "recipients that are lent are released", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "return isLent ? nil : unsafe Self.recipients(address)",
            "return isLent && !FAULT ? nil : unsafe Self.recipients(address)",
            foundBy: "ending while the property is set"),
        Fault(
            "recipients that are overdue are not released", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "_ = exchange(Self.overdue, for: Self.empty)\\n        unsafe recipients.release()",
            "_ = exchange(Self.overdue, for: Self.empty)\\n        if !FAULT { unsafe recipients.release() }",
            foundBy: "a token is released while the property is set"),
        Fault(
            "recipients are kept although somebody came or went",
            "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "if self.version == version { loan.keep(recipients) }",
            "if self.version == version || FAULT { loan.keep(recipients) }",
            foundBy: "registering a second one while the property changes"),
        Fault(
            "recipients are not recalled when somebody comes or goes",
            "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "let recalled = unsafe loan.recall()", "let recalled = FAULT ? nil : unsafe loan.recall()",
            foundBy: "registering a second one while the property changes"),
        Fault(
            "recipients are kept in place of others", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "guard word.load(ordering: .acquiring) == Self.empty else { return }",
            "guard word.load(ordering: .acquiring) == Self.empty || FAULT else { return }",
            foundBy: "announcements of one property overlap on two threads"),
    ]

    private static let paths = [
        Fault(
            "a registration at a path is not seen by the properties it depends on",
            "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "if isAdded { forgetRecipients() }", "if isAdded, !FAULT { forgetRecipients() }",
            foundBy: "a path is registered once more while its end changes"),
        Fault(
            "a path that comes to a changing property is not noted there",
            "KeyValueObserving/Engine/Reading/DependencyTracker.swift",
            "for change in pending { change.includePath(path) }",
            "for change in pending where !FAULT { change.includePath(path) }",
            foundBy: "a path is re-wired while the new end changes"),
        Fault(
            "a value is delivered although a newer one was", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "if version != self.version, !(hasReadEnough && lastThread == thread) { return .readAgain }",
            "if version != self.version, !FAULT, !(hasReadEnough && lastThread == thread) { return .readAgain }",
            foundBy: "a path is re-wired while the former end changes"),
        Fault(
            "what was delivered is forgotten while changes are under way",
            "KeyValueObserving/Engine/Paths/Engagement.swift",
            "known = changes > 0 ? new : nil", "known = changes > 0 && !FAULT ? new : nil",
            foundBy: "a path is re-wired while the former end changes"),
        Fault(
            "an old value replaces a known one", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard known == nil, changes > 0 else { return }",
            "guard known == nil || FAULT, changes > 0 else { return }",
            foundBy: "a path is re-wired while the former end changes"),
        Fault(
            "a change concludes alone beside others", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard accesses == 0, announcing.isEmpty, changes == 1, known == nil else { return false }",
            "guard accesses == 0, announcing.isEmpty, changes == 1 || FAULT, known == nil else { return false }",
            foundBy: "a path is re-wired while the former end changes"),
        Fault(
            "a change is delivered at a path that was led away before it began",
            "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "state.engagement.version != change.foundVersion",
            "state.engagement.version != (FAULT ? change.startVersion : change.foundVersion)",
            foundBy: "a path and its end are observed while both change"),
        Fault(
            "a path is not detached from what it left", "KeyValueObserving/Engine/Paths/EvaluatedPath.swift",
            "detach(from: stale)\\n        // Values", "if !FAULT { detach(from: stale) }\\n        // Values",
            foundBy: "a path is re-wired at two places"),
    ]

    private static let shared = [
        Fault(
            "recipients are asked whether they are lent before it is asked whether their paths are engaged",
            "KeyValueObserving/Engine/Assignment/Assignment.swift",
            "recipients.with { $0.areSimple } && record.with { $0.isLent(recipients) }",
            "(!FAULT || record.with { $0.isLent(recipients) }) && recipients.with { $0.areSimple } "
                + "&& (FAULT || record.with { $0.isLent(recipients) })",
            foundBy: "three threads replace and change the shared objects of a path, again and again", rarely: true),
        Fault(
            "a change of a property that a path is being led back to is over",
            "KeyValueObserving/Engine/Pending/PendingChange.swift",
            "guard case .over = conclusion, ([record] + others)",
            "guard case .over = conclusion, !FAULT, ([record] + others)",
            foundBy: "a shared object on a path leaves and comes back while another thread sets it"),
        Fault(
            "who comes to a path of a shared property before it is set is not notified of the set",
            "KeyValueObserving/Engine/Pending/PendingChange.swift",
            "for change in paths { change.newestNumber = newestNumber }",
            "for change in paths where !FAULT || change.newestNumber != 0 { change.newestNumber = newestNumber }",
            foundBy: "a computed property is observed with its initial value, while what it reads is set"),
    ]

    private static let announced = [
        Fault(
            "what one thread defers another one takes", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard let index = deferring.firstIndex(of: thread) else { return false }",
            "guard let index = FAULT ? deferring.indices.first : deferring.firstIndex(of: thread) else { return false }",
            foundBy: "transactions on two threads change what one computed property reads"),
        Fault(
            "the old value of an announced change is read after others may have released it",
            "KeyValueObserving/Engine/Pending/ManualChange.swift",
            "isOfElements ? elementsChange : nil, ChangeValues(old: old, new: new))",
            "isOfElements ? elementsChange : nil, ChangeValues(old: FAULT ? wholeOld ?? oldValue : old, new: new))",
            foundBy: "a path is re-wired while the former end changes"),
        Fault(
            "a change that was announced before anything was known of the object is not handed on",
            "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "return withContents { $0.announcements.isEmpty && body($0) }",
            "return withContents { ($0.announcements.isEmpty || FAULT) && body($0) }",
            foundBy: "a path is led to a property between its will and its did"),
        Fault(
            "a change of one property is handed on as one of another",
            "KeyValueObserving/Engine/Registry/Announcement.swift",
            "thread == other.thread && keyPath === other.keyPath",
            "thread == other.thread && (keyPath === other.keyPath || FAULT)",
            foundBy: "one property is announced after another one while another thread registers", rarely: true),
        Fault(
            "a change that ended while it was handed on stays for ever",
            "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "record.settleLocked(taken == nil ? nil : change)",
            "record.settleLocked(taken == nil && !FAULT ? nil : change)",
            foundBy: "an announced change ends while another thread registers"),
        Fault(
            "a change begins on a record that was dropped", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "guard !state.isDropped, !state.pending", "guard !state.isDropped || FAULT, !state.pending",
            foundBy: "a will without a did is ended by the end of the registration"),
        Fault(
            "a path is attached to a record that was dropped", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "guard !state.isDropped else { return nil }", "guard !state.isDropped || FAULT else { return nil }",
            foundBy: "one path is registered while the last registration at it ends"),
        Fault(
            "a did ends the change of another thread", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "withState { $0.pending.first { $0.thread == thread } }",
            "withState { $0.pending.first { $0.thread == thread || FAULT } }",
            foundBy: "what one thread ignores another one delivers"),
        Fault(
            "a transaction blocks a path for all threads", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "accesses > 0 || announcing.count { $0 == thread } > (hasBlocked ? 1 : 0)",
            "accesses > 0 || announcing.count { $0 == thread || FAULT } > (hasBlocked ? 1 : 0)",
            foundBy: "what one thread ignores another one delivers"),
        Fault(
            "what is ignored on one thread is ignored on all", "KeyValueObserving/Engine/Registry/Registration.swift",
            "if let ignored, ignored.with({ $0.contains(number) }) { return false }",
            "if FAULT { return false }\\n            if let ignored, ignored.with({ $0.contains(number) }) { return false }",
            foundBy: "what one thread ignores another one delivers"),
    ]

    private static let around = [
        Fault(
            "a controller adds without looking again",
            "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "guard state.objects[id]?.version ?? 0 == version else { return false }",
            "guard state.objects[id]?.version ?? 0 == version || FAULT else { return false }",
            foundBy: "two threads register the same at one controller that replaces"),
        Fault(
            "a controller takes out before it ends", "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "for entry in removed { entry.observation.invalidate() }\\n        take(removed, from: id)",
            """
            if FAULT { take(removed, from: id) }
            for entry in removed { entry.observation.invalidate() }
            take(removed, from: id)
            """, foundBy: "two threads end what a controller observes, in two ways"),
        Fault(
            "an inbox forgets to begin again", "KeyValueObserving/Elsewhere/InboxState.swift",
            "isTaking = false\\n            return phase", "isTaking = FAULT\\n            return phase",
            foundBy: "an inbox is filled by one thread and emptied by an actor"),
        Fault(
            "an inbox begins before it is open", "KeyValueObserving/Elsewhere/InboxState.swift",
            "guard phase == .open, ", "guard phase == .open || FAULT, ",
            foundBy: "a registration with .initial on an actor while the property changes"),
        Fault(
            "an inbox takes what comes after its end", "KeyValueObserving/Elsewhere/InboxState.swift",
            "guard phase != .ended else { return .over }", "guard phase != .ended || FAULT else { return .over }",
            foundBy: "an iteration and the death of its object"),
        Fault(
            "an inbox releases what it dropped under its lock", "KeyValueObserving/Elsewhere/ChangeInbox.swift",
            "let (addition, isLast) = contents.withLock { contents in\\n            (",
            """
            let (addition, isLast) = contents.withLock { contents in
                        if FAULT { _ = contents.state.end(lane: lane) }
                        return (
            """,
            foundBy: "an inbox of objects ends while it is filled"),
        Fault(
            "of two threads that reach a watched property first, one goes on before the other has registered",
            "KeyValueObserving/Observing/AnyPropertyWatcher.swift",
            "let handler = state.withLock { $0.watched[ObjectIdentifier(record)] == nil ? $0.handler : nil }",
            """
            let handler = state.withLock { state in
                        defer { if FAULT { state.watched[ObjectIdentifier(record)] = record } }
                        return state.watched[ObjectIdentifier(record)] == nil ? state.handler : nil
                    }
            """, foundBy: "two threads change a watched object's property for the first time"),
        Fault(
            "a watcher that has ended registers and is called", "KeyValueObserving/Observing/AnyPropertyWatcher.swift",
            "if listed.hasEnded { return }", "if !FAULT, listed.hasEnded { return }",
            foundBy: "two threads change a watched object's property while a third one ends that"),
        Fault(
            "what has ended itself is called as long as it is being registered",
            "KeyValueObserving/Engine/Registry/CallSite.swift",
            "if ending.isRequested { message.skip() }", "if !FAULT, ending.isRequested { message.skip() }",
            foundBy: "a handler ends its observation while that is being made"),
        Fault(
            "distinct values begin with one from before the registration",
            "KeyValueObserving/Observing/KeyValueObservable+Expression.swift",
            "distinct.begin(with: self)", "if !FAULT { distinct.begin(with: self) }",
            foundBy: "distinct values are first observed with .initial while another thread sets"),
        Fault(
            "distinct values in an inbox begin with one from before the registration",
            "KeyValueObserving/Elsewhere/InboxSource.swift",
            "lane.distinct?.begin(with: value(of: object))",
            "if !FAULT { lane.distinct?.begin(with: value(of: object)) }",
            foundBy: "distinct values with .initial on an actor while another thread sets"),
        Fault(
            "an element that is being put in is observed after the end",
            "KeyValueObserving/Elements/EachElement.swift",
            "guard let (isArriving, isOneHeld) = standing(of: element) else",
            "guard let (isArriving, isOneHeld) = FAULT ? (false, false) : standing(of: element) else",
            foundBy: "the observation of elements ends while one is put in and changes"),
        Fault(
            "an element whose arrival ended the observation is called", "KeyValueObserving/Elements/EachElement.swift",
            "{ $0 === next }) else { return false }", "{ $0 === next }) else { return FAULT }",
            foundBy: "an element changes while its arrival ends the observation"),
        Fault(
            "an element may change before its arrival", "KeyValueObserving/Elements/EachElement.swift",
            "callArrival(of: next.element)", "if !FAULT { callArrival(of: next.element) }",
            foundBy: "an element arrives before it changes"),
        Fault(
            "the first change of a collection counts elements twice",
            "KeyValueObserving/Elements/CollectionRegistration.swift",
            "if let change = change.elements, each.needsWhole {",
            "if let change = change.elements, !FAULT, each.needsWhole {",
            foundBy: "elements are first observed while another thread puts one in and takes one out"),
        Fault(
            "the first elements of a collection replace newer ones", "KeyValueObserving/Elements/EachElement.swift",
            "!(isFirst && state.hasFollowed)", "FAULT || !(isFirst && state.hasFollowed)",
            foundBy: "elements are first observed while another thread puts one in and takes one out"),
        Fault(
            "an iteration misses what comes before it waits", "KeyValueObserving/Sequences/ChangeIteration.swift",
            "case .idle, .signaled:\\n                state = .signaled",
            "case .idle, .signaled:\\n                state = FAULT ? .idle : .signaled",
            foundBy: "a task iterates while a thread changes"),
        Fault(
            "the end of a registration does not end its inbox", "KeyValueObserving/Elsewhere/ChangeInbox.swift",
            "func end() {\\n        let (last", "func end() {\\n        if FAULT { return }\\n        let (last",
            foundBy: "an iteration and the death of its object"),
        Fault(
            "a two-way binding outlives one of its objects", "KeyValueObserving/Binding/TwoWayBinding.swift",
            "deinit {\\n            binding?.end()", "deinit {\\n            if !FAULT { binding?.end() }",
            foundBy: "one end of a two-way binding dies while the other one changes"),
        Fault(
            "a class is asked under a lock", "KeyValueObserving/Engine/Registry/ClassPolicy.swift",
            "let result = body()\\n        answers.withLock",
            "let result = FAULT ? answers.withLock { _ in body() } : body()\\n        answers.withLock",
            foundBy: "a class is asked about its properties by two threads"),
        Fault(
            "two threads may make what lies beside an object", "KeyValueObservingSwizzling/AddressMap.swift",
            "if let found = current?.find(address) { return found.value }\\n            let value",
            "if !FAULT, let found = current?.find(address) { return found.value }\\n            let value",
            foundBy: "two threads first observe one object of a foreign class"),
        Fault(
            "a map is read while it changes", "KeyValueObservingSwizzling/AddressMap.swift",
            "if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return found?.value }",
            "if FAULT || before.isMultiple(of: 2), FAULT || version.load(ordering: .acquiring) == before { return found?.value }",
            foundBy: "two threads first observe one object of a foreign class"),
    ]
}
