// Faults that are put into a copy of the library on purpose, each of which some scenario finds.

/// A fault: a line of the library, and what stands there instead while `hasFault` says so.
struct Fault {
    let name: String
    let file: String
    let line: String
    let changed: String
    /// The scenario that finds it.
    let scenario: String

    init(_ name: String, _ file: String, _ line: String, _ changed: String, foundBy scenario: String) {
        self.name = name
        self.file = file
        self.line = line
        self.changed = changed
        self.scenario = scenario
    }
}

extension Fault {
    /// All of them. `FAULT` stands for whether the one is put in.
    static let all: [Fault] = registering + delivering + paths + announced + around

    private static let registering = [
        Fault(
            "an ended registration is not marked", "KeyValueObserving/Engine/Registry/RegistrationList.swift",
            "removed?.end()", "if !FAULT { removed?.end() }", foundBy: ""),
        Fault(
            "whether a registration has ended is not looked at before a call",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "if word & Self.ended != 0 { return false }", "if word & Self.ended != 0, !FAULT { return false }",
            foundBy: ""),
        Fault(
            "a registration made after a change began takes part in it",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "return number <= newestNumber && (!isPrior", "return (FAULT || number <= newestNumber) && (!isPrior",
            foundBy: ""),
        Fault(
            "the numbers of registrations are given without order",
            "KeyValueObserving/Engine/Registry/Registration.swift",
            "let number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue",
            """
            var number = Self.lastNumber.load(ordering: .relaxed) + 1
            if FAULT {
                Self.lastNumber.store(number, ordering: .relaxed)
            } else {
                number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
            }
            """, foundBy: ""),
        Fault(
            "a token reads as ended before it is removed", "KeyValueObserving/Observing/KeyValueObservation.swift",
            "keeper.remove(activeNumber)",
            """
            if FAULT { number.store(Self.ended, ordering: .releasing) }
            keeper.remove(activeNumber)
            """, foundBy: ""),
        Fault(
            "two threads may make the table of an object", "KeyValueObserving/Declaring/KeyValueRegistrar.swift",
            "if exchanged { return unsafe new.takeUnretainedValue() }",
            """
            if FAULT { word.store(unsafe UInt(bitPattern: new.toOpaque()), ordering: .releasing) }
            if exchanged || FAULT { return unsafe new.takeUnretainedValue() }
            """, foundBy: ""),
        Fault(
            "two threads may make the record of a property", "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "if let record = unretainedRecord(of: property)?.object { return record }\\n            // Nothing",
            "if !FAULT, let record = unretainedRecord(of: property)?.object { return record }\\n            // Nothing",
            foundBy: ""),
        Fault(
            "whether a property is observed is written without the lock",
            "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "if !isManual { table.setObservedLocked(isObservedLocked, self) }",
            "if !isManual, !FAULT { table.setObservedLocked(isObservedLocked, self) }", foundBy: ""),
        Fault(
            "a path is entered into the table without looking again",
            "KeyValueObserving/Engine/Registry/ObservationTable.swift",
            "if withContents({ $0.paths.insert(new, ifCandidatesAre: candidates) }) { return new }",
            """
            if FAULT {
                return withContents { contents in
                    _ = contents.paths.insert(new, ifCandidatesAre: contents.paths.candidates(for: name.hash))
                    return new
                }
            }
            if withContents({ $0.paths.insert(new, ifCandidatesAre: candidates) }) { return new }
            """, foundBy: ""),
        Fault(
            "a registration is recorded at a path that has ended", "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "guard state.core != nil else { return nil }",
            "guard state.core != nil || FAULT else { return nil }", foundBy: ""),
        Fault(
            "a handler is released under a lock", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "_ = change { $0.direct.remove(number) }",
            "if FAULT { change { _ = $0.direct.remove(number) } } else { _ = change { $0.direct.remove(number) } }",
            foundBy: ""),
    ]

    private static let delivering = [
        Fault(
            "recipients that are lent are released", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "return isLent ? nil : unsafe Self.recipients(address)",
            "return isLent && !FAULT ? nil : unsafe Self.recipients(address)", foundBy: ""),
        Fault(
            "recipients that are overdue are not released", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "_ = exchange(Self.overdue, for: Self.empty)\\n        unsafe recipients.release()",
            "_ = exchange(Self.overdue, for: Self.empty)\\n        if !FAULT { unsafe recipients.release() }",
            foundBy: ""),
        Fault(
            "recipients are kept although somebody came or went", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "if state.version == version { loan.keep(recipients) }",
            "if state.version == version || FAULT { loan.keep(recipients) }", foundBy: ""),
        Fault(
            "recipients are not recalled when somebody comes or goes",
            "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "let recalled = unsafe loan.recall()\\n            state.version",
            "let recalled = FAULT ? nil : unsafe loan.recall()\\n            state.version", foundBy: ""),
        Fault(
            "recipients are kept in place of others", "KeyValueObserving/Engine/Delivery/RecipientsLoan.swift",
            "guard word.load(ordering: .acquiring) == Self.empty else { return }",
            "guard word.load(ordering: .acquiring) == Self.empty || FAULT else { return }", foundBy: ""),
        Fault(
            "recipients that an evaluation may leave are kept", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "guard isLasting, !recipients.isEmpty", "guard isLasting || FAULT, !recipients.isEmpty", foundBy: ""),
    ]

    private static let paths = [
        Fault(
            "a registration at a path is not seen by the properties it depends on",
            "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "guard let properties else { return false }\\n        for property in properties",
            "guard let properties else { return false }\\n        for property in properties where !FAULT", foundBy: ""),
        Fault(
            "an older evaluation counts after a newer one", "KeyValueObserving/Engine/Paths/Dependencies.swift",
            "if isEnded || start.number < lastEnded { return (.superseded, attached) }",
            "if isEnded || !FAULT && start.number < lastEnded { return (.superseded, attached) }", foundBy: ""),
        Fault(
            "an evaluation counts that relied on what was replaced", "KeyValueObserving/Engine/Paths/Dependencies.swift",
            "if start.isRelying, start.version != version { return (.outdated, attached) }",
            "if start.isRelying, start.version != version, !FAULT { return (.outdated, attached) }", foundBy: ""),
        Fault(
            "the same where as much was read as expected", "KeyValueObserving/Engine/Paths/Dependencies.swift",
            "guard start.version == version else { return .outdated }",
            "guard start.version == version || FAULT else { return .outdated }", foundBy: ""),
        Fault(
            "an evaluation may attach a path that has ended", "KeyValueObserving/Engine/Paths/Dependencies.swift",
            "isEnded = true\\n", "isEnded = !FAULT\\n", foundBy: ""),
        Fault(
            "a path that comes to a changing property is not noted there", "KeyValueObserving/Engine/Reading/DependencyTracker.swift",
            "for change in pending { change.includePath(path) }",
            "for change in pending where !FAULT { change.includePath(path) }", foundBy: ""),
        Fault(
            "a value is delivered although a newer one was", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "if let version, version != self.version { return .readAgain }",
            "if let version, version != self.version, !FAULT { return .readAgain }", foundBy: ""),
        Fault(
            "what was delivered is forgotten while changes are under way",
            "KeyValueObserving/Engine/Paths/Engagement.swift",
            "known = changes > 0 ? new : nil", "known = changes > 0 && !FAULT ? new : nil", foundBy: ""),
        Fault(
            "an old value replaces a known one", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard known == nil, changes > 0 else { return }",
            "guard known == nil || FAULT, changes > 0 else { return }", foundBy: ""),
        Fault(
            "a change concludes alone beside others", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard accesses == 0, announcing.isEmpty, changes == 1, known == nil else { return false }",
            "guard accesses == 0, announcing.isEmpty, changes == 1 || FAULT, known == nil else { return false }",
            foundBy: ""),
        Fault(
            "a change is delivered at a path that was led away before it began",
            "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "state.engagement.version != change.foundVersion",
            "state.engagement.version != (FAULT ? change.startVersion : change.foundVersion)", foundBy: ""),
        Fault(
            "a path is not detached from what it left", "KeyValueObserving/Engine/Paths/ObservedPath.swift",
            "detach(from: stale)\\n", "if !FAULT { detach(from: stale) }\\n", foundBy: ""),
    ]

    private static let announced = [
        Fault(
            "what one thread defers another one takes", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "guard let index = deferring.firstIndex(of: thread) else { return false }",
            "guard let index = FAULT ? deferring.indices.first : deferring.firstIndex(of: thread) else { return false }",
            foundBy: ""),
        Fault(
            "the old value of an announced change is read after others may have released it",
            "KeyValueObserving/Engine/Pending/ManualChange.swift",
            "deliver(to: recipients, of: object, isOfElements ? elementsChange : nil, ChangeValues(old: old, new: new))",
            """
            let late = FAULT ? wholeOld ?? oldValue : old
            deliver(to: recipients, of: object, isOfElements ? elementsChange : nil, ChangeValues(old: late, new: new))
            """, foundBy: ""),
        Fault(
            "a change begins on a record that was dropped", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "guard !state.isDropped, !state.pending", "guard !state.isDropped || FAULT, !state.pending", foundBy: ""),
        Fault(
            "a path is attached to a record that was dropped", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "guard !state.isDropped else { return nil }", "guard !state.isDropped || FAULT else { return nil }",
            foundBy: ""),
        Fault(
            "a did ends the change of another thread", "KeyValueObserving/Engine/Registry/PropertyRecord.swift",
            "return withState { $0.pending.first { $0.thread == thread } }",
            "return withState { $0.pending.first { $0.thread == thread || FAULT } }", foundBy: ""),
        Fault(
            "a path that comes to a changing property is not told when it ends",
            "KeyValueObserving/Engine/Pending/PendingChange.swift",
            "if newPaths.isEmpty { return .over }", "if newPaths.isEmpty || FAULT { return .over }", foundBy: ""),
        Fault(
            "a transaction blocks a path for all threads", "KeyValueObserving/Engine/Paths/Engagement.swift",
            "accesses > 0 || announcing.count { $0 == thread } > (hasBlocked ? 1 : 0)",
            "accesses > 0 || announcing.count { $0 == thread || FAULT } > (hasBlocked ? 1 : 0)", foundBy: ""),
        Fault(
            "what is ignored on one thread is ignored on all", "KeyValueObserving/Engine/Registry/Registration.swift",
            "if let ignored, ignored.contains(number) { return false }",
            "if FAULT { return false }\\n            if let ignored, ignored.contains(number) { return false }", foundBy: ""),
    ]

    private static let around = [
        Fault(
            "a controller adds without looking again",
            "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "guard state.objects[id]?.version ?? 0 == version else { return false }",
            "guard state.objects[id]?.version ?? 0 == version || FAULT else { return false }", foundBy: ""),
        Fault(
            "a controller takes out before it ends", "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "for entry in removed { entry.observation.invalidate() }\\n        take(removed, from: id)",
            """
            if FAULT { take(removed, from: id) }
            for entry in removed { entry.observation.invalidate() }
            take(removed, from: id)
            """, foundBy: ""),
        Fault(
            "what a controller retains is released under a lock",
            "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "return state.objects[id]?.entries.isEmpty ?? false ? state.objects.removeValue(forKey: id)?.retained : nil",
            """
            if FAULT {
                if state.objects[id]?.entries.isEmpty ?? false { state.objects[id] = nil }
                return nil
            }
            return state.objects[id]?.entries.isEmpty ?? false ? state.objects.removeValue(forKey: id)?.retained : nil
            """, foundBy: ""),
        Fault(
            "an inbox forgets to begin again", "KeyValueObserving/Elsewhere/InboxState.swift",
            "isTaking = false\\n            return phase", "isTaking = FAULT\\n            return phase", foundBy: ""),
        Fault(
            "an inbox is emptied twice at once", "KeyValueObserving/Elsewhere/InboxState.swift",
            "!isTaking, !waiting.isEmpty", "!isTaking || FAULT, !waiting.isEmpty", foundBy: ""),
        Fault(
            "an inbox begins before it is open", "KeyValueObserving/Elsewhere/InboxState.swift",
            "guard phase == .open, ", "guard phase == .open || FAULT, ", foundBy: ""),
        Fault(
            "an inbox takes what comes after its end", "KeyValueObserving/Elsewhere/InboxState.swift",
            "guard phase != .ended else { return .over }", "guard phase != .ended || FAULT else { return .over }",
            foundBy: ""),
        Fault(
            "an inbox releases what it dropped under its lock", "KeyValueObserving/Elsewhere/ChangeInbox.swift",
            "return (contents.state.end(), contents.delivery)",
            "if FAULT { _ = contents.state.end() }\\n            return (contents.state.end(), contents.delivery)",
            foundBy: ""),
        Fault(
            "an iteration misses what comes before it waits", "KeyValueObserving/Sequences/ChangeIteration.swift",
            "case .idle, .signaled:\\n                state = .signaled",
            "case .idle, .signaled:\\n                state = FAULT ? .idle : .signaled", foundBy: ""),
        Fault(
            "the end of a registration does not end its inbox", "KeyValueObserving/Elsewhere/ChangeInbox.swift",
            "func end() {\\n        let (last", "func end() {\\n        if FAULT { return }\\n        let (last", foundBy: ""),
        Fault(
            "a two-way binding outlives one of its objects", "KeyValueObserving/Binding/TwoWayBinding.swift",
            "deinit {\\n            binding?.end()", "deinit {\\n            if !FAULT { binding?.end() }", foundBy: ""),
        Fault(
            "a class is asked under a lock", "KeyValueObserving/Engine/Registry/ClassPolicy.swift",
            "let result = body()\\n        answers.withLock",
            "let result = FAULT ? answers.withLock { _ in body() } : body()\\n        answers.withLock", foundBy: ""),
        Fault(
            "two threads may make what lies beside an object", "KeyValueObservingSwizzling/AddressMap.swift",
            "if let found = current?.find(address) { return found.value }\\n            let value",
            "if !FAULT, let found = current?.find(address) { return found.value }\\n            let value", foundBy: ""),
        Fault(
            "a map is read while it changes", "KeyValueObservingSwizzling/AddressMap.swift",
            "if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return found?.value }",
            "if FAULT || before.isMultiple(of: 2), FAULT || version.load(ordering: .acquiring) == before { return found?.value }",
            foundBy: ""),
    ]
}
