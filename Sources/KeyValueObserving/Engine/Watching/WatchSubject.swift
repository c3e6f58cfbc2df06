// What a watch reads, and what its observers are told.

/// Reads what is watched from its root, into an empty box if there is one.
@usableFromInline typealias WatchReader = (AnyObject, BoxedValue?) -> BoxedValue

/// What a watch reads: where it starts, and how.
///
/// It goes when the watch ends, whoever still holds that.
@safe final class WatchSubject: @unchecked Sendable {
    let name: KeyPathName
    /// What it is called, if it is an expression.
    let text: String?
    /// Where its first registration was made.
    let site: (fileID: StaticString, line: UInt)
    /// What the root's class declares to affect its value.
    let declared: [AnyKeyPath]
    let valueType: Any.Type
    /// How its observers keep what they are told.
    let keeping: Keeping
    /// The properties that the key path is made of, where key paths can be read; optionals are left out.
    private let parts: ContiguousArray<UInt>?
    private let reference: RootReference<AnyObject>
    /// Reads it from its root, into an empty box if there is one; compiled where the types are known.
    let read: WatchReader

    init(
        root: AnyObject, _ name: KeyPathName, text: String?, _ site: (fileID: StaticString, line: UInt),
        declared: [AnyKeyPath], parts: [AnyKeyPath]?, valueType: Any.Type, reading read: @escaping WatchReader
    ) {
        self.site = site
        self.name = name
        self.text = text
        self.declared = declared
        self.valueType = valueType
        keeping = Keeping(valueType)
        self.parts = KeyPathComponents.properties(of: parts ?? [name.keyPath])
        reference = RootReference(root)
        self.read = read
    }

    /// The object that it starts at; nil from the start of its `deinit` on.
    var root: AnyObject? { reference.object }

    var isObject: Bool { keeping == .object }

    /// Copies a value of its type.
    func copy(of value: BoxedValue?) -> BoxedValue? {
        KeptValues(nil, ChangeValues(old: value), valueType).old
    }

    /// How the values are made of those of the property that was read last.
    ///
    /// Nil unless each part of the key path is a property that was read by itself, in the order of the parts.
    func leaf(after read: ContiguousArray<Source>) -> PathLeaf? {
        guard let parts, parts.count == read.count, declared.isEmpty else { return nil }
        for index in parts.indices {
            let isPart = Unretained(read[index]).with { source in
                source.description.part == parts[index] && source.description.policy.dependencies.isEmpty
            }
            guard isPart else { return nil }
        }
        return read.last?.description.leaf(for: valueType)
    }
}

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
    init(atEndOf subject: WatchSubject) { root = subject.root }

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

    /// The same in a transaction, with a property whose observers take part up to a number from a change on.
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
        if isClaimed { watch.close() }
    }
}

extension Watch {
    /// What its observers get of a change: evaluates it, unless it is not to be read yet, or another thread will do that.
    ///
    /// `isAtEnd` says whether its values are made of those of the property at its end, and it is not read.
    func payload(
        _ subject: WatchSubject, upTo number: RegistrationNumber, _ event: EngineTrace.EventNumber,
        atEnd isAtEnd: () -> Bool = { false }
    ) -> WatchPayload {
        guard let turn = turn(upTo: number) else { return WatchPayload() }
        guard let root = subject.root else {
            close()
            return WatchPayload()
        }
        let newest = turn > number ? turn : nil
        if isAtEnd() { return WatchPayload(of: root, nil, upTo: newest) }
        let value =
            event.isReported
            ? EngineTrace.inside(event) { evaluate(subject, from: root) } : evaluate(subject, from: root)
        return WatchPayload(of: root, value, upTo: newest)
    }

    /// Calls its observers up to a number with a value, once it has been evaluated again for what other threads left.
    func deliver(_ value: BoxedValue, of root: AnyObject, upTo newest: RegistrationNumber) {
        let (content, list) = (CallContent(root, ObjectIdentifier(self), KeptValues(new: value)), CallList())
        registrations.visit { if $0.number <= newest { list.append(Call($0, content)) } }
        Delivery.run(Delivery(of: list))
    }

    /// Its observers, whatever property it ends at.
    func slot(_ subject: WatchSubject) -> WatchSlot {
        WatchSlot(self, subject, leaf: nil, registrations, isShared: isShared)
    }
}
