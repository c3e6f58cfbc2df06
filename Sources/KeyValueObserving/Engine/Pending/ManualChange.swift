// A change that is announced manually: the user calls `willChangeValue` and `didChangeValue`.

/// A change between two calls of the user.
///
/// It holds neither the object nor handlers, so that one whose second call never comes keeps nothing alive: who is
/// notified is found out anew at the end.
final class ManualChange: PendingChange, @unchecked Sendable {
    /// What of the property changes.
    enum Subject: Equatable {
        /// The value as a whole.
        case value
        /// Elements of an ordered collection.
        indirect case elements(KeyValueChange, PositionSet)
        /// Members of a set.
        indirect case members(KeyValueSetMutationKind, AnyHashable)

        /// Whether the value changes as a whole.
        var isWhole: Bool {
            if case .value = self { true } else { false }
        }
    }

    /// What a change of elements is, worked out from the value before it.
    struct Elements {
        let kind: KeyValueChange
        let positions: Positions?
        /// The elements that leave, if elements leave; taken over by the change.
        var old: BoxedValue?
        /// Whether no element is concerned, so that there is nothing to deliver.
        let isEmpty: Bool
        /// Finds the elements that come in the value after the change, if elements come.
        let new: (BoxedValue) -> BoxedValue?

        init<Value>(
            kind: KeyValueChange, positions: Positions? = nil, old: Value?, isEmpty: Bool,
            new: @escaping (Value) -> Value?
        ) {
            self.kind = kind
            self.positions = positions
            self.old = old.map { .holding($0) }
            self.isEmpty = isEmpty
            self.new = { $0.value(as: Value.self).flatMap(new).map { .holding($0) } }
        }
    }

    private let subject: Subject
    private let elements: Elements?
    /// The path at the very key path that is announced, which is not evaluated until the end.
    private var path: ObservedPath?
    /// How many changes of the same property were announced inside this one and have not ended.
    private var nested = 0
    // The lock of the record's table makes accesses exclusive.
    /// The value before the change, or the elements that leave, as long as somebody needs it.
    @safe @exclusivity(unchecked) private var old: BoxedValue?
    /// Ends the change, once an access in place to the property has ended; until then it holds the object.
    @safe @exclusivity(unchecked) private var postponedEnd: (() -> Void)?

    /// A change that was announced when nobody observed the object.
    convenience init(ofUnobserved record: PropertyRecord, on thread: UInt64) {
        self.init(record, Registration.newestNumber, .value, nil, on: thread)
    }

    private init(
        _ record: PropertyRecord, _ newestNumber: UInt64, _ subject: Subject, _ elements: Elements?,
        on thread: UInt64 = ThisThread.number
    ) {
        self.subject = subject
        self.elements = elements.map { elements in
            var elements = elements
            elements.old = nil
            return elements
        }
        super.init(record, newestNumber, on: thread)
    }

    /// Begins a change on this thread, or notes that it belongs to one that is under way.
    ///
    /// - Parameters:
    ///   - record: The property.
    ///   - path: The path at the very key path, if somebody observes it.
    ///   - object: The object that changes.
    ///   - keyPath: The key path that is announced.
    ///   - subject: What of the property changes.
    ///   - elements: Works out which elements are concerned, if not the whole value.
    /// - Returns: False if the record is not used any more, and another one is to be found.
    static func begin<Object: KeyValueObservable, Value>(
        _ record: PropertyRecord, _ path: ObservedPath?, of object: Object, at keyPath: KeyPath<Object, Value>,
        _ subject: Subject, _ elements: ((BoxedValue) -> Elements)?
    ) -> Bool {
        let newestNumber = Registration.newestNumber
        switch record.standing(manually: true) {
        case .nested:
            let pending = record.pendingOnThisThread()
            (pending as? ManualChange)?.beginNested(subject, of: object)
            (pending as? ChangeInPlace)?.becomeAnnounced()
            pending?.becomeDirty()
            return true
        case .nobody where path == nil:
            // It is remembered all the same: who comes before its end is not notified of it.
            let change = ManualChange(record, newestNumber, subject, nil)
            defer { change.letGo() }
            return change.becomePending(of: object)
        case .nobody:
            return begin(record, path, .none, newestNumber, object, keyPath, subject, elements)
        case .recipients(let recipients):
            return begin(record, path, recipients, newestNumber, object, keyPath, subject, elements)
        }
    }

    private static func begin<Object: KeyValueObservable, Value>(
        _ record: PropertyRecord, _ path: ObservedPath?, _ recipients: Recipients, _ newestNumber: UInt64,
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ subject: Subject, _ elements: ((BoxedValue) -> Elements)?
    ) -> Bool {
        var isLasting = true
        var members = recipients.paths
        if let path, !members.contains(where: { $0.path === path }), let own = path.recipients(at: record, &isLasting) {
            members.append(own)
        }
        let all =
            members.count == recipients.paths.count ? recipients : Recipients(direct: record.direct, paths: members)
        // While what the path depends on is accessed in place, it must not be read. The access noted its value before.
        let isAccessed = path?.isAccessed ?? false
        let isOldNeeded =
            !isAccessed
            && (elements != nil || all.needsOld || members.contains { $0.path === path && $0.needsOld })
        let version = path?.knownVersion
        // The path's own reader was compiled for the types.
        let value =
            isOldNeeded ? path?.core?.value(from: object) ?? BoxedValue.holding(object[keyPath: keyPath]) : nil
        let concerned = value.flatMap { elements?($0) }
        let change = ManualChange(record, newestNumber, subject, concerned)
        let isEmpty = concerned?.isEmpty ?? false
        if !isEmpty { change.include(members, announced: path) }
        guard change.becomePending(of: object) else {
            change.abandon()
            return false
        }
        guard !isEmpty else { return true }
        change.path = path
        let old = if let concerned { concerned.old } else { value }
        record.withLock { change.old = old }
        change.findOldValues(of: object, announced: value, readAt: version)
        if concerned != nil {
            change.findStoredValues(of: object, withLeaves: true) { core, value in
                core.isStored(value, object[keyPath: keyPath])
            }
        }
        path?.block(on: change.thread)
        // The access has called them, if they could still read the value.
        if !isAccessed {
            Sink.deliverPrior(change, to: all, of: object, change.elementsChange, ChangeValues(old: old))
        }
        Sink.begin(change, of: object, announced: path)
        if concerned != nil { change.noteVersions() }
        change.letGo()
        return true
    }

    /// Has the record know the change; false if the record is not used any more.
    private func becomePending(of object: AnyObject) -> Bool {
        guard record.begin(self) else { return false }
        // A change of no elements concerns no path.
        if !(elements?.isEmpty ?? false) { includeLatePaths(of: object) }
        return true
    }

    private var elementsChange: ElementsChange? {
        elements.map { ElementsChange($0.kind, at: $0.positions) }
    }

    /// Ends the change, unless it was announced inside another one.
    ///
    /// - Parameters:
    ///   - object: The object that changed.
    ///   - keyPath: The key path that is announced.
    ///   - subject: What was said at the beginning.
    ///   - wholeOld: The value before the change, if that turned out to be one of the whole.
    func end<Object: KeyValueObservable, Value>(
        of object: Object, at keyPath: KeyPath<Object, Value>, _ subject: Subject, wholeOld: BoxedValue?
    ) {
        if nested > 0 {
            nested -= 1
            return
        }
        if self.subject != subject { Self.trap(self.subject, subject, object) }
        // What is accessed in place must not be read: the change ends after the access.
        let isPostponed = record.ifAccessed {
            postponedEnd = { [self] in end(of: object, at: keyPath, subject, wholeOld: wholeOld) }
        }
        if isPostponed { return }
        // A path that is led away meanwhile, on another thread, would release it as needed by nobody.
        let old = wholeOld ?? oldValue
        takeUp()
        if let path, path.unblock(on: thread) { noteDeferred([path]) }
        let isOfElements = elements != nil && wholeOld == nil
        let isStored: (PathCore, BoxedValue) -> Bool = { core, value in
            core.isStored(value, object[keyPath: keyPath])
        }
        // What was set between the two calls is what was announced.
        _ = takeDirty()
        finish(of: object, isOfElements: isOfElements ? isStored : nil)
        if elements?.isEmpty ?? false { return }
        let recipients = recipientsAtEnd
        if recipients.isEmpty { return }
        let isNewNeeded = record.direct.needs.contains(.new) || paths.contains { $0.needsNewOfProperty }
        let known = paths.first { $0.isAnnounced }?.newValue
        let value = isNewNeeded ? known ?? BoxedValue.holding(object[keyPath: keyPath]) : nil
        let new = isOfElements ? value.flatMap { elements?.new($0) } : value
        Sink.deliver(
            self, to: recipients, of: object, isOfElements ? elementsChange : nil, ChangeValues(old: old, new: new))
        withExtendedLifetime((old, new)) {}
    }

    private var oldValue: BoxedValue? { record.withLock { self.old } }

    override func takeOldValueLocked() -> BoxedValue? {
        defer { old = nil }
        return old
    }

    override func takePostponedEndLocked() -> (() -> Void)? {
        defer { postponedEnd = nil }
        return postponedEnd
    }

    /// Who is notified, in the order of the change's paths.
    private var recipientsAtEnd: Recipients {
        let known = record.recipients
        return known.paths.elementsEqual(paths) { $0.path === $1.path } ? known : currentRecipients
    }

    /// Notes that a change of the same property was announced inside this one, which speaks for it.
    private func beginNested(_ subject: Subject, of object: AnyObject) {
        if self.subject != .value, subject != .value, self.subject != subject {
            Self.trap(self.subject, subject, object)
        }
        nested += 1
    }

    static func trap(_ own: Subject, _ other: Subject, _ object: AnyObject) -> Never {
        fatalError(
            """
            \(TypeName.of(object)) announced a change as \(own), and then one of the same property as \(other). Call \
            willChange and didChange with the same arguments, and end a change of elements before the next one begins.
            """)
    }
}

extension ManualChange.Subject: CustomStringConvertible {
    var description: String {
        switch self {
        case .value: "a setting of the whole"
        case .elements(let kind, let positions): "\(kind) at \(positions.set)"
        case .members(let mutation, let members): "\(mutation) of \(members)"
        }
    }
}
