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
    /// All of them.
    ///
    /// `FAULT` stands for whether the one is put in.
    static let all: [Fault] = registering + delivering + watches + announced + around + shared

    private static let registering = [
        Fault(
            "an ended registration is not marked", "KeyValueObserving/Engine/Graph/RegistrationList.swift",
            "removed?.end()", "if !FAULT { removed?.end() }",
            foundBy: "ending the middle one of three while the property is set"),
        Fault(
            "whether a registration has ended is not looked at before a call",
            "KeyValueObserving/Engine/Graph/Registration.swift",
            "if word & Self.ended != 0 { return false }", "if word & Self.ended != 0, !FAULT { return false }",
            foundBy: "ending the middle one of three while the property is set"),
        Fault(
            "a registration made after a change began takes part in it",
            "KeyValueObserving/Engine/Graph/Registration.swift",
            "return number <= newestNumber", "return FAULT || number <= newestNumber",
            foundBy: "a registration is made inside an announced change"),
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
            "the numbers of registrations are given without order",
            "KeyValueObserving/Engine/Graph/Registration.swift",
            "let number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue",
            """
            var number = Self.lastNumber.load(ordering: .relaxed) + 1
                    if FAULT {
                        Self.lastNumber.store(number, ordering: .relaxed)
                    } else {
                        number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
                    }
            """, foundBy: "registrations that two threads make at once are told apart"),
        Fault(
            "two threads may make the source of a property", "KeyValueObserving/Engine/Graph/ObservationTable.swift",
            "if let source = unretainedSource(of: property)?.object { return source }\\n            // Nothing",
            "if !FAULT, let source = unretainedSource(of: property)?.object { return source }\\n            // Nothing",
            foundBy: "two first registrations of one property"),
        Fault(
            "a registration is recorded at a source that was dropped", "KeyValueObserving/Engine/Graph/Source.swift",
            "if state.isDropped { return false }\\n            let site",
            "if state.isDropped, !FAULT { return false }\\n            let site",
            foundBy: "a manual property is registered while the last registration at it ends"),
        Fault(
            "a handler is released under a lock", "KeyValueObserving/Engine/Graph/Source.swift",
            "let removed = change { $0.direct.remove(number) }",
            """
            let removed = change { state -> Registration? in
                        let removed = state.direct.remove(number)
                        return FAULT ? nil : removed
                    }
            """, foundBy: "a token is released while the property is set"),
    ]

    private static let delivering = [
        Fault(
            "recipients that are lent are released", "KeyValueObserving/Engine/Graph/Recipients.swift",
            "return isLent ? nil : unsafe Self.recipients(address)",
            "return isLent && !FAULT ? nil : unsafe Self.recipients(address)",
            foundBy: "ending while the property is set"),
        Fault(
            "recipients that are overdue are not released", "KeyValueObserving/Engine/Graph/Recipients.swift",
            "_ = exchange(overdue, for: empty)\\n        unsafe recipients.release()",
            "_ = exchange(overdue, for: empty)\\n        if !FAULT { unsafe recipients.release() }",
            foundBy: "a token is released while the property is set"),
        Fault(
            "recipients are kept in place of others", "KeyValueObserving/Engine/Graph/Recipients.swift",
            "guard word.load(ordering: .acquiring) == empty else { return }",
            "guard word.load(ordering: .acquiring) == empty || FAULT else { return }",
            foundBy: "announcements of one property overlap on two threads, without a lock"),
        Fault(
            "recipients are kept although somebody came or went", "KeyValueObserving/Engine/Graph/Source.swift",
            "if self.version == version { loan.keep(recipients) }",
            "if self.version == version || FAULT { loan.keep(recipients) }",
            foundBy: "registering a second one while the property changes"),
        Fault(
            "recipients are not recalled when somebody comes or goes", "KeyValueObserving/Engine/Graph/Source.swift",
            "let recalled = unsafe loan.recall()\\n", "let recalled = FAULT ? nil : unsafe loan.recall()\\n",
            foundBy: "registering a second one while the property changes"),
    ]

    private static let watches = [
        Fault(
            "a watch is entered into the table without looking again",
            "KeyValueObserving/Engine/Graph/ObservationTable.swift",
            "if withContents({ $0.watches.insert(new, ifCandidatesAre: candidates) }) { return new }",
            """
            if FAULT {
                            add(new)
                            return new
                        }
                        if withContents({ $0.watches.insert(new, ifCandidatesAre: candidates) }) { return new }
            """, foundBy: "one computed property is first registered by two threads"),
        Fault(
            "a registration is recorded at a watch that has ended", "KeyValueObserving/Engine/Graph/Watch.swift",
            """
            guard let subject = state.subject else { return false }
                        registration.record(
                            at: request.callSite(
                                after: state.registrations.last?.site, at: keyPath,
                                keeping: request.keepsTold(ofWatch: true) ? subject.keeping : .nothing
            """,
            """
            guard state.subject != nil || FAULT else { return false }
                        registration.record(
                            at: request.callSite(
                                after: state.registrations.last?.site, at: keyPath,
                                keeping: request.keepsTold(ofWatch: true) ? state.subject?.keeping ?? .nothing : .nothing
            """,
            foundBy: "one path is registered while the last registration at it ends"),
        Fault(
            "a new watch that has ended is added again",
            "KeyValueObserving/Engine/Registering/Registering.swift",
            "if watch === new { return", "if watch === new, !FAULT { return",
            foundBy: "one path is registered by two threads at once, and left by one"),
        Fault(
            "a watch is claimed by two threads", "KeyValueObserving/Engine/Graph/Watch.swift",
            "if word & ~1 == own {", "if word & ~1 == own || FAULT && word != 0 {",
            foundBy: "a handler of a computed property never runs on two threads at once"),
        Fault(
            "a thread that finds a watch claimed leaves no mark", "KeyValueObserving/Engine/Graph/Watch.swift",
            "let filter = Filter(upTo: number)\\n",
            """
            if FAULT { return false }
                        let filter = Filter(upTo: number)

            """, foundBy: "two threads set two shared properties that a computed one reads"),
        Fault(
            "a thread that finds a watch claimed does not say whom its change concerns",
            "KeyValueObserving/Engine/Graph/Watch.swift",
            "state.left = state.left ?? filter", "if !FAULT { state.left = state.left ?? filter }",
            foundBy: "two threads set two shared properties that a computed one reads"),
        Fault(
            "a thread that finds a watch claimed does not say what it ignores",
            "KeyValueObserving/Engine/Graph/Watch.swift", "let filter = Filter(upTo: number)\\n",
            "let filter = FAULT ? Filter(upTo: number, ignoring: nil) : Filter(upTo: number)\\n",
            foundBy: "one of two threads that set what a computed property reads ignores its changes"),
        Fault(
            "what a thread ignores is ignored for those who came before it",
            "KeyValueObserving/Engine/Graph/Filter.swift",
            "ignored = both.filter { !one.admits($0) && !other.admits($0) }",
            "ignored = both.filter { FAULT || !one.admits($0) && !other.admits($0) }",
            foundBy: "one of three threads that set what a computed property reads ignores its changes"),
        Fault(
            "a thread that finds a watch claimed leaves its mark before it says whom its change concerns",
            "KeyValueObserving/Engine/Graph/Watch.swift",
            """
            let isLeft = withState { state in
                            guard claimant.compareExchange(expected: word, desired: word | 1, ordering: .releasing).exchanged else {
            """,
            """
            if FAULT,
                            !claimant.compareExchange(expected: word, desired: word | 1, ordering: .releasing).exchanged
                        {
                            continue
                        }
                        let isLeft = withState { state in
                            guard FAULT || claimant.compareExchange(expected: word, desired: word | 1, ordering: .releasing).exchanged else {
            """, foundBy: "one of two threads that set what a computed property reads ignores its changes"),
        Fault(
            "a mark is taken after what was left with it", "KeyValueObserving/Engine/Graph/Watch.swift",
            "return withState { state in\\n            _ = claimant.exchange(own, ordering: .acquiring)",
            """
            if FAULT {
                        let left = withState { $0.left.take() }
                        _ = claimant.exchange(own, ordering: .acquiring)
                        return left ?? Filter(upTo: 0, ignoring: nil)
                    }
                    return withState { state in
                        _ = claimant.exchange(own, ordering: .acquiring)
            """, foundBy: "one of three threads that set what a computed property reads ignores its changes"),
        Fault(
            "a claim is left although another thread has come", "KeyValueObserving/Engine/Graph/Watch.swift",
            "if claimant.compareExchange(expected: own, desired: 0, ordering: .releasing).exchanged { return nil }",
            """
            if FAULT {
                        claimant.store(0, ordering: .releasing)
                        return nil
                    }
                    if claimant.compareExchange(expected: own, desired: 0, ordering: .releasing).exchanged { return nil }
            """, foundBy: "two threads set two shared properties that a computed one reads"),
        Fault(
            "a watch is not evaluated again for threads that came", "KeyValueObserving/Engine/Graph/Watch.swift",
            "deliverAgain(subject, of: root, Filter(upTo: newest, ignoring: filter.ignored))",
            "if !FAULT { deliverAgain(subject, of: root, Filter(upTo: newest, ignoring: filter.ignored)) }",
            foundBy: "two threads set two shared properties that a computed one reads"),
        Fault(
            "a registration at a watch is not seen by what it depends on",
            "KeyValueObserving/Engine/Graph/Watch.swift",
            "if isAdded { forgetRecipients() }", "if isAdded, !FAULT { forgetRecipients() }",
            foundBy: "a second registration at a computed property, while two threads set what it reads"),
        Fault(
            "a watch does not leave what it does not read any more",
            "KeyValueObserving/Engine/Graph/Watch+Reading.swift",
            "for source in read.elements where source !== own && !sources.contains(source) { source.detach(self) }",
            "for source in read.elements where !FAULT && source !== own && !sources.contains(source) { source.detach(self) }",
            foundBy: "a path of shared properties that was re-wired ends while its former end is set"),
        Fault(
            "a watch that ended while it was evaluated does not leave what it read",
            "KeyValueObserving/Engine/Graph/Watch+Reading.swift",
            "for source in read.elements { source.detach(self) }",
            "for source in read.elements where !FAULT { source.detach(self) }",
            foundBy: "a path of shared properties ends while it is re-wired"),
        Fault(
            "a watch that ended while another thread had claimed it does not leave what it read",
            "KeyValueObserving/Engine/Graph/Watch.swift", "if claim(leaving: 0) {\\n            leaveSources()",
            "if claim(leaving: FAULT ? nil : 0) {\\n            leaveSources()",
            foundBy: "a path of shared properties ends while it is re-wired"),
    ]

    private static let announced = [
        Fault(
            "what is ignored on one thread is ignored on all", "KeyValueObserving/Engine/Graph/Registration.swift",
            "if let ignored, ignored.with({ $0.contains(number) }) { return false }",
            "if FAULT { return false }\\n            if let ignored, ignored.with({ $0.contains(number) }) { return false }",
            foundBy: "what one thread ignores another one delivers"),
        Fault(
            "a did ends the change of another thread", "KeyValueObserving/Engine/Graph/Source.swift",
            "opener.load(ordering: .relaxed) == ThisThread.number ? openMutation : nil",
            "(opener.load(ordering: .relaxed) == ThisThread.number || FAULT) ? openMutation : nil",
            foundBy: "a did on another thread than its will"),
        Fault(
            "an object that is kept for its next use is taken by two threads",
            "KeyValueObserving/Engine/Runtime/Unretained.swift",
            "        let address = word.exchange(0, ordering: .acquiring)",
            """
                    var address = word.load(ordering: .acquiring)
                    if FAULT {
                        word.store(0, ordering: .releasing)
                    } else {
                        address = word.exchange(0, ordering: .acquiring)
                    }
            """, foundBy: "announcements of one property overlap on two threads, without a lock"),
        Fault(
            "what a registration was told is used by two threads",
            "KeyValueObserving/Engine/Runtime/Unretained.swift",
            "word.load(ordering: .relaxed) == 0 ? nil : Unretained<Object>(at: word.exchange(0, ordering: .acquiring))",
            """
            let address = word.load(ordering: .acquiring)
                    if address == 0 { return nil }
                    if FAULT {
                        word.store(0, ordering: .releasing)
                        return Unretained<Object>(at: address)
                    }
                    return Unretained<Object>(at: word.exchange(0, ordering: .acquiring))
            """, foundBy: "two threads set the end of a path, without a lock"),
        Fault(
            "a change that is announced does not hold its source",
            "KeyValueObserving/Engine/Mutators/Mutator+Manual.swift", "    let source: Source\\n\\n",
            """
                private let heldSource: Source?
                private let unheldSource: Unretained<Source>

                init(mutation: Mutation, source: Source) {
                    self.mutation = mutation
                    heldSource = FAULT ? nil : source
                    unheldSource = Unretained(source)
                }

                var source: Source { unheldSource.object }


            """, foundBy: "a path ends while it is re-wired"),
    ]

    private static let around = [
        Fault(
            "a controller adds without looking again",
            "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "known.contains($0.number) || $0.element === element",
            "known.contains($0.number) || !FAULT && $0.element === element",
            foundBy: "two threads register the same at one controller that replaces"),
        Fault(
            "a controller takes out before it ends", "KeyValueObserving/Controller/ControllerRegistrations.swift",
            "for entry in entries.reversed() { entry.observation.invalidate() }",
            """
            if FAULT { take(entries) }
            for entry in entries.reversed() { entry.observation.invalidate() }
            """, foundBy: "two threads end what a controller observes, in two ways"),
        Fault(
            "an inbox forgets to begin again", "KeyValueObserving/Sequences/InboxState.swift",
            "isTaking = false\\n            return phase", "isTaking = FAULT\\n            return phase",
            foundBy: "an inbox is filled by one thread and emptied by an actor"),
        Fault(
            "an inbox begins before it is open", "KeyValueObserving/Sequences/InboxState.swift",
            "guard phase == .open, ", "guard phase == .open || FAULT, ",
            foundBy: "a registration with .initial on an actor while the property changes"),
        Fault(
            "an inbox takes what comes after its end", "KeyValueObserving/Sequences/InboxState.swift",
            "guard phase != .ended else { return .over }", "guard phase != .ended || FAULT else { return .over }",
            foundBy: "an iteration and the death of its object"),
        Fault(
            "an inbox releases what it dropped under its lock", "KeyValueObserving/Sequences/ChangeInbox.swift",
            "let (addition, isLast) = contents.withLock { contents in\\n            (",
            """
            let (addition, isLast) = contents.withLock { contents in
                        if FAULT { _ = contents.state.end(lane: lane) }
                        return (
            """,
            foundBy: "an inbox of objects ends while it is filled"),
        Fault(
            "the first elements of a collection replace newer ones", "KeyValueObserving/Elements/EachElement.swift",
            "!(isFirst && state.hasFollowed)", "FAULT || !(isFirst && state.hasFollowed)",
            foundBy: "elements are first observed while another thread puts one in and takes one out"),
        Fault(
            "an iteration misses what comes before it waits", "KeyValueObserving/Sequences/Iteration.swift",
            "case .idle, .signaled:\\n                state = .signaled",
            "case .idle, .signaled:\\n                state = FAULT ? .idle : .signaled",
            foundBy: "a task iterates while a thread changes"),
        Fault(
            "the end of a registration does not end its inbox", "KeyValueObserving/Sequences/ChangeInbox.swift",
            "func end() {\\n        let (last", "func end() {\\n        if FAULT { return }\\n        let (last",
            foundBy: "an iteration and the death of its object"),
        Fault(
            "a two-way binding outlives one of its objects", "KeyValueObserving/Binding/TwoWayBinding.swift",
            "deinit { binding.end() }", "deinit { if !FAULT { binding.end() } }",
            foundBy: "one end of a two-way binding dies while the other one changes"),
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
        Fault(
            "the first change of a collection counts elements twice",
            "KeyValueObserving/Elements/KeyValueObservable+EachElement.swift", "if each.needsWhole {",
            "if !FAULT, each.needsWhole {",
            foundBy: "elements are first observed while another thread puts one in and takes one out"),
        Fault(
            "a class is asked under a lock", "KeyValueObserving/Engine/Identity/ClassDeclarations.swift",
            "let type = unsafe self.type\\n            return Tracking",
            """
            let type = unsafe self.type
                        if FAULT { asking.withLock { _ in _ = type.automaticallyNotifiesObservers(for: keyPath) } }
                        return Tracking
            """, foundBy: "a class is asked about its properties by two threads"),
    ]

    private static let shared = [
        Fault(
            "a thread lets go of a shared property although a change waits",
            "KeyValueObserving/Engine/Shared/SharedStorage.swift", "if waiting.isEmpty { deliverer = 0 }",
            "if waiting.isEmpty || FAULT { deliverer = 0 }", foundBy: "two threads set a shared property"),
        Fault(
            "two threads deliver the changes of a shared property",
            "KeyValueObserving/Engine/Shared/SharedStorage.swift",
            "return (deliverer == 0 || deliverer == thread, deliverer == thread)",
            "return (deliverer == 0 || deliverer == thread || FAULT, deliverer == thread)",
            foundBy: "two threads set a shared property"),
        Fault(
            "a change of a shared property does not wait for those before it",
            "KeyValueObserving/Engine/Shared/SharedStorage.swift",
            "guard waiting.isEmpty, deliverer == 0, !hasHeld, isCurrent() else { return false }",
            "guard FAULT || waiting.isEmpty && deliverer == 0 && !hasHeld, isCurrent() else { return false }",
            foundBy: "two threads set a shared property"),
        Fault(
            "a registration is called with changes before its initial call is over",
            "KeyValueObserving/Engine/Shared/SharedStorage.swift",
            "let numbers = lock.withLock { held.isEmpty ? [] : held.keys.filter { $0 <= newest } }",
            "let numbers = FAULT ? [] : lock.withLock { held.isEmpty ? [] : held.keys.filter { $0 <= newest } }",
            foundBy: "a registration that reads its initial value, while a shared property is set"),
        Fault(
            "an access in place looks for observers before it has the lock",
            "KeyValueObserving/Engine/Shared/SharedProperty.swift",
            "storage.beginAccess({ source(in: current()) }",
            "storage.beginAccess({ source(in: FAULT ? table : current()) }",
            foundBy: "elements are first observed while another thread puts one in and takes one out"),
        Fault(
            "an access that changes nothing leaves what found it under way",
            "KeyValueObserving/Engine/Shared/SharedProperty.swift",
            "if let source { Transaction.afterDelivery",
            "if !FAULT, let source { Transaction.afterDelivery",
            foundBy: "a view changes nothing of a shared set on a path while another thread sets it"),
    ]
}
