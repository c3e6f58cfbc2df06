// The values of a change for the observers of a watch.

/// The values for the observers of a watch after a change of a dependency, from the evaluation until all have been
/// called.
struct WatchPayload {
    /// The newest registration that takes part from a certain change of a transaction on.
    struct Reach {
        let newest: RegistrationNumber
        let place: Int
    }

    /// The object that the watch starts at; nil if there is nothing to deliver.
    private var root: AnyObject?
    /// The evaluated value; nil if the values of the property at the end make it.
    private(set) var value: BoxedValue?
    /// The newest registration that takes part, if it differs from that of the change.
    private(set) var newest: RegistrationNumber?
    /// The changes of a transaction from which on they take part, if the property's observers have others.
    private var reaches: ContiguousArray<Reach> = []
    /// Whether the watch is claimed until its observers have been called.
    private var isClaimed = false

    /// Creates an empty payload.
    init() {}

    /// Creates a payload whose values are made of those of the property at the end.
    init(atLeafOf subject: WatchSubject) { root = subject.root }

    init(of root: AnyObject, _ value: BoxedValue?, upTo newest: RegistrationNumber?) {
        self.root = root
        self.value = value
        self.newest = newest
        isClaimed = true
    }

    var isNothing: Bool { root == nil }
    var unretainedRoot: Unretained<AnyObject>? { root.map { Unretained($0) } }
    /// The evaluated value as a new value.
    var values: ChangeValues? { if let value { ChangeValues(old: nil, new: value) } else { nil } }
    /// Whether some of its observers take part differently from those of the property.
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

    /// The change of a transaction from which on a registration takes part, if it is known.
    func place(of number: RegistrationNumber) -> Int? { reaches.first { number <= $0.newest }?.place }

    /// Ends it, after the observers have been called or when another payload replaces it.
    func finish(_ watch: Watch) {
        if let value { watch.takeBack(value) }
        if isClaimed { watch.leaveClaim() }
    }
}

extension Watch {
    /// Evaluates the watch for its observers, unless it must not be read yet or another thread will evaluate it.
    ///
    /// With `isAtLeaf`, the values of the property at its end make its values, and the watch is not read.
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
