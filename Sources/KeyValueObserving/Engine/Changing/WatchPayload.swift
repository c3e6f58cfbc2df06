// What the observers of a watch get of a change.

/// What the observers of a watch get after a change of what it depends on: from when that is found until they have been
/// called.
struct WatchPayload {
    /// Up to which registration the observers take part from which change of a transaction on.
    struct Reach {
        let newest: RegistrationNumber
        let place: Int
    }

    /// The object that the watch starts at; nil if they get nothing.
    private var root: AnyObject?
    /// What was read; nil if it is made of the values of the property at its end.
    private(set) var value: BoxedValue?
    /// The newest registration that takes part, if that is another one than in the change.
    private(set) var newest: RegistrationNumber?
    /// In a transaction, from where on they take part, if that is not where the property's observers do.
    private var reaches: ContiguousArray<Reach> = []
    /// Whether the watch is claimed until they have been called.
    private var isClaimed = false

    /// Nothing.
    init() {}

    /// Values that are made of those of the property at the end.
    init(atLeafOf subject: WatchSubject) { root = subject.root }

    init(of root: AnyObject, _ value: BoxedValue?, upTo newest: RegistrationNumber?) {
        self.root = root
        self.value = value
        self.newest = newest
        isClaimed = true
    }

    var isNothing: Bool { root == nil }
    var unretainedRoot: Unretained<AnyObject>? { root.map { Unretained($0) } }
    /// What was read, as a new value.
    var values: ChangeValues? { if let value { ChangeValues(old: nil, new: value) } else { nil } }
    /// Whether its observers do not all take part as those of the property do.
    var isUneven: Bool { newest != nil || !reaches.isEmpty }

    /// A copy for a transaction, with a property whose observers take part up to a number from a change on.
    func reaching(
        _ reaches: ContiguousArray<Reach>, besides newest: RegistrationNumber, from place: Int
    ) -> WatchPayload {
        var payload = self
        guard let last = reaches.last, last.newest != newest || reaches[0].place != place || reaches.count > 1 else {
            return payload
        }
        payload.newest = max(payload.newest ?? 0, last.newest)
        payload.reaches = reaches
        return payload
    }

    /// The change of a transaction from which on a registration takes part, where that is known.
    func place(of number: RegistrationNumber) -> Int? { reaches.first { number <= $0.newest }?.place }

    /// Ends it: the observers have been called, or another one takes its place.
    func finish(_ watch: Watch) {
        if let value { watch.takeBack(value) }
        if isClaimed { watch.leaveClaim() }
    }
}

extension Watch {
    /// What its observers get of a change: evaluates it, unless it is not to be read yet, or another thread will do that.
    ///
    /// `isAtLeaf` says whether its values are made of those of the property at its end, and it is not read.
    func payload(
        _ subject: WatchSubject, upTo number: RegistrationNumber, _ event: EngineTrace.EventNumber,
        atLeaf isAtLeaf: () -> Bool = { false }
    ) -> WatchPayload {
        guard let turn = turn(upTo: number) else { return WatchPayload() }
        guard let root = subject.root else {
            leaveClaim()
            return WatchPayload()
        }
        let newest = turn > number ? turn : nil
        if isAtLeaf() { return WatchPayload(of: root, nil, upTo: newest) }
        let value =
            event.isReported
            ? EngineTrace.inside(event) { evaluate(subject, from: root) } : evaluate(subject, from: root)
        return WatchPayload(of: root, value, upTo: newest)
    }
}
