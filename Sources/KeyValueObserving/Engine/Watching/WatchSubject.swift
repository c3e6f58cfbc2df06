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
        root: AnyObject, _ name: KeyPathName, text: String?, declared: [AnyKeyPath], parts: [AnyKeyPath]?,
        valueType: Any.Type, reading read: @escaping WatchReader
    ) {
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

/// What the observers of a watch are told after a change of what it depends on: from when that is found until they have
/// been called.
struct WatchPayload {
    /// The object that the watch starts at; nil if they are told nothing.
    private var root: AnyObject?
    /// What was read; nil if it is made of the values of the property at its end.
    private(set) var value: BoxedValue?
    /// The registrations that are told, if these are others than those that take part in the change.
    private(set) var filter: Filter?
    /// Whether the watch is claimed until they have been called.
    private var isClaimed = false

    /// Nothing.
    init() {}

    /// Values that are made of those of the property at the end.
    init(atEndOf subject: WatchSubject) { root = subject.root }

    init(of root: AnyObject, _ value: BoxedValue?, upTo newest: RegistrationNumber?) {
        self.root = root
        self.value = value
        filter = newest.map { Filter(upTo: $0, ignoring: nil) }
        isClaimed = true
    }

    var isNothing: Bool { root == nil }
    var unretainedRoot: Unretained<AnyObject>? { root.map { Unretained($0) } }
    /// What was read, as a new value.
    var values: ChangeValues? { if let value { ChangeValues(old: nil, new: value) } else { nil } }

    /// The same for a change in which some registrations take part, where others are told.
    func told(to all: Filter, by change: Filter) -> WatchPayload {
        var payload = self
        if filter == nil, !change.includes(all.newest, ignoring: all.ignored) { payload.filter = all }
        return payload
    }

    /// Ends it: the observers have been called, or another one takes its place.
    func finish(_ watch: Watch) {
        if let value { watch.takeBack(value) }
        if isClaimed { watch.close() }
    }
}

extension Watch {
    /// What its observers are told of a change: evaluates it, unless whoever holds it, evaluates it, or has claimed it will do that.
    ///
    /// `isAtEnd` says whether its values are made of those of the property at its end, and it is not read.
    func payload(
        _ subject: WatchSubject, for filter: Filter, _ event: EngineTrace.EventNumber,
        atEnd isAtEnd: () -> Bool = { false }
    ) -> WatchPayload {
        guard let turn = turn(upTo: filter.newest) else { return WatchPayload() }
        guard let root = subject.root else {
            close()
            return WatchPayload()
        }
        let newest = turn > filter.newest ? turn : nil
        if isAtEnd() { return WatchPayload(of: root, nil, upTo: newest) }
        let value =
            event.isReported
            ? EngineTrace.inside(event) { evaluate(subject, from: root) } : evaluate(subject, from: root)
        return WatchPayload(of: root, value, upTo: newest)
    }

    /// Its observers, whatever property it ends at.
    func slot(_ subject: WatchSubject) -> WatchSlot {
        WatchSlot(self, subject, leaf: nil, registrations, isShared: isShared)
    }
}
