// What the observers of a watch are told.

/// What the observers of a watch are told after a change of what it depends on: from when that is found until they have
/// been called.
struct Finding {
    /// The object that the watch starts at; nil if they are told nothing.
    private var root: AnyObject?
    /// What was read; nil if it is made of the values of the property at its end.
    private(set) var value: BoxedValue?
    /// The number of the evaluation.
    private var evaluation = 0
    /// The registrations that are told, if these are others than those that the change concerns.
    private(set) var concerned: ConcernedRegistrations?
    /// Whether the watch is claimed until they have been called.
    private var isClaimed = false

    /// Nothing.
    init() {}

    /// Values that are made of those of the property at the end.
    init(atEndOf subject: WatchSubject) { root = subject.root }

    init(_ watch: Watch, _ root: AnyObject, _ value: BoxedValue?, upTo newest: RegistrationNumber?) {
        self.root = root
        self.value = value
        concerned = newest.map { ConcernedRegistrations(upTo: $0, ignoring: nil) }
        evaluation = watch.evaluations
        isClaimed = true
    }

    var isNothing: Bool { root == nil }
    var unretainedRoot: Unretained<AnyObject>? { root.map { Unretained($0) } }
    /// What was read, as a new value.
    var values: ChangeValues? { value.map { ChangeValues(old: nil, new: $0) } }
    /// Whether a later evaluation has told the value of this one, too.
    func isOutdated(in watch: Watch) -> Bool { value != nil && evaluation != watch.evaluations }

    /// The same for a change that concerns some registrations, where others are told.
    func told(to all: ConcernedRegistrations, by change: ConcernedRegistrations) -> Finding {
        var finding = self
        if concerned == nil, !change.include(all.newest, ignoring: all.ignored) { finding.concerned = all }
        return finding
    }

    /// Ends it: the observers have been called, or another one takes its place.
    func finish(_ watch: Watch) {
        if let value { watch.takeBack(value) }
        if isClaimed { watch.close() }
    }
}

extension Watch {
    /// Evaluates it for a change, unless whoever holds it, evaluates it, or has claimed it will do that.
    ///
    /// `isAtEnd` says whether its values are made of those of the property at its end, and it is not read.
    func find(
        _ subject: WatchSubject, for concerned: ConcernedRegistrations, _ event: EngineTrace.EventNumber,
        atEnd isAtEnd: () -> Bool = { false }
    ) -> Finding {
        guard let turn = turn(upTo: concerned.newest) else { return Finding() }
        guard let root = subject.root else {
            close()
            return Finding()
        }
        let newest = turn > concerned.newest ? turn : nil
        if isAtEnd() { return Finding(self, root, nil, upTo: newest) }
        let value =
            event.isReported
            ? EngineTrace.inside(event) { evaluate(subject, from: root) } : evaluate(subject, from: root)
        return Finding(self, root, value, upTo: newest)
    }

    /// Its observers as recipients that do not look at where it ends.
    func alone(_ subject: WatchSubject, _ registrations: RegistrationList? = nil) -> WatchRecipients {
        WatchRecipients(self, subject, leaf: nil, registrations ?? self.registrations, isShared: isShared)
    }
}
