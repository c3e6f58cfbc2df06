// The recipients of a change of one property.
import Synchronization

/// The registrations that a change of one property concerns, in their order.
///
/// Each belongs to a slot: 0 is the property itself, the others are the watches that depend on it. Recipients are
/// immutable; a source creates new ones after registrations were added or removed. A change thus holds all of them by
/// holding one object.
@usableFromInline
@safe final class Recipients: @unchecked Sendable {
    let members: Members
    /// The entries of the watches: that of slot *n* is number *n* - 1.
    let watches: ContiguousArray<WatchEntry>
    /// The slots of the watches, if these are many.
    private let slots: [ObjectIdentifier: Int]?
    /// Identifies the property; nil if they are those of a watch alone.
    let source: ObjectIdentifier?
    /// The type of the property's values, if that is known.
    let valueType: Any.Type?
    /// The newest registration on the property itself; 0 if there is none.
    let newestDirect: RegistrationNumber
    /// The version of the source when these were found: how often registrations had been added or removed.
    let version: UInt32
    /// Whether a change must read the property's value before the store.
    @usableFromInline let needsOld: Bool
    /// Whether a change must read the property's value after the store.
    @usableFromInline let needsNew: Bool
    /// Whether a change of elements must read the whole value after the store.
    @usableFromInline let needsWhole: Bool
    /// The values that observers of the property, and of paths that end at it, need for several changes of elements.
    let needsOfElements: ValueNeeds
    let isEmpty: Bool
    /// The newest registration; 0 if there is none.
    let newest: RegistrationNumber
    /// Whether some requested `.prior`.
    let hasPriors: Bool
    /// Whether no code of users runs before they are called, because there are no priors and no watch to evaluate.
    @usableFromInline let areSimple: Bool

    init(
        direct: RegistrationList, watches: ContiguousArray<WatchEntry>,
        of source: (id: ObjectIdentifier, valueType: Any.Type?)? = nil, version: UInt32 = 0
    ) {
        self.version = version
        self.source = source?.id
        valueType = source?.valueType
        newestDirect = direct.last?.number ?? 0
        var members = direct.all.map { (registration: $0, slot: 0) }
        var needs = direct.needs
        var needsOfElements = needs
        var areLeaves = true
        for (index, entry) in watches.enumerated() {
            members += entry.registrations.all.map { ($0, index + 1) }
            if let leaf = entry.leaf {
                let own = entry.registrations.needs
                needsOfElements.formUnion(own)
                needs.formUnion(leaf.carriesSettings ? own : own.intersection(.whole))
            }
            areLeaves = areLeaves && entry.leaf?.carriesSettings ?? false
        }
        if !watches.isEmpty { members.sort { $0.registration.number < $1.registration.number } }
        self.members = Members(members)
        self.watches = watches
        slots =
            watches.count > 8
            ? Dictionary(
                watches.enumerated().map { (ObjectIdentifier($1.watch), $0 + 1) },
                uniquingKeysWith: { first, _ in first })
            : nil
        (needsOld, needsNew, needsWhole) = (needs.contains(.old), needs.contains(.new), needs.contains(.whole))
        self.needsOfElements = needsOfElements
        isEmpty = members.isEmpty
        newest = members.last?.registration.number ?? 0
        hasPriors = members.contains { $0.registration.site.options.contains(.prior) }
        areSimple = !hasPriors && areLeaves
    }

    deinit { members.release() }

    /// No recipients.
    static let none = Recipients(direct: RegistrationList(), watches: [], version: .max)

    /// Whether one of them is a registration.
    func include(_ registration: Registration) -> Bool {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].with({ $0.number < registration.number }) { low = middle + 1 } else { high = middle }
        }
        return low < members.count && members[low].with { $0 === registration }
    }

    /// Records which of them ignore a change, in the slots that receive it on this thread.
    func miss(_ ignored: Unretained<IgnoredRegistrations>, in isConcerned: (Int) -> Bool = { _ in true }) {
        for index in 0..<members.count where isConcerned(members.slot(at: index)) {
            members[index].with { if ignored.with({ [number = $0.number] in $0.contains(number) }) { $0.miss() } }
        }
    }

    /// The content for the observers in a slot after a change of the property; nil if there is none.
    func content(
        in slot: Int, of object: AnyObject, _ edit: Edit?, _ values: ChangeValues, _ event: EngineTrace.EventNumber
    ) -> CallContent? {
        guard slot > 0 else { return directContent(of: object, edit, values, .change, event) }
        var content: CallContent?
        let entry = watches[slot - 1]
        entry.withLeafValues(edit.map { Unretained($0) }, values) { root, edit, values in
            content = entry.content(of: root, edit, values, event)
        }
        return content
    }

    /// The content for the observers in a slot before a change of the property; nil if there is none.
    func contentBefore(
        in slot: Int, of object: AnyObject, _ edit: Edit?, _ values: ChangeValues, _ event: EngineTrace.EventNumber
    ) -> CallContent? {
        guard slot > 0 else { return directContent(of: object, edit, values, .prior, event) }
        let entry = watches[slot - 1]
        guard let root = entry.subject.root, !entry.watch.isAccessed else { return nil }
        var kept = KeptValues()
        if let leaf = entry.leaf, edit != nil {
            ValueWrapping.with(leaf.wrapping, values) { kept = KeptValues(edit, $0, entry.subject.valueType) }
        }
        return CallContent(root, ObjectIdentifier(entry.watch), kept, .prior, event)
    }

    private func directContent(
        of object: AnyObject, _ edit: Edit?, _ values: ChangeValues, _ phase: ChangePhase,
        _ event: EngineTrace.EventNumber
    ) -> CallContent {
        let kept = valueType.map { KeptValues(edit, values, $0) } ?? KeptValues(edit)
        return CallContent(object, source, kept, phase, event)
    }

    /// The slot of a watch.
    func slot(of watch: Watch) -> Int? {
        if let slots { return slots[ObjectIdentifier(watch)] }
        return watches.firstIndex { $0.watch === watch }.map { $0 + 1 }
    }
}

/// The entry in the slot of a watch that depends on a property.
final class WatchEntry {
    let watch: Watch
    /// The subject of the watch, which had not ended when the recipients were found.
    let subject: WatchSubject
    /// Makes the watch's values from the property's, if the watch ends there.
    let leaf: PathLeaf?
    let registrations: RegistrationList
    /// Whether the watch reads properties that several threads change.
    let isShared: Bool
    /// Whether changes of the property's elements are also changes of the watch's elements, without an evaluation.
    var isOfElements: Bool { leaf != nil && !isShared }

    init(_ watch: Watch, _ subject: WatchSubject, leaf: PathLeaf?, _ registrations: RegistrationList, isShared: Bool) {
        self.watch = watch
        self.subject = subject
        self.leaf = leaf
        self.registrations = registrations
        self.isShared = isShared
    }

    /// Calls `body` with the watch's values, given those of the property at its end, unless its root has died.
    @inline(__always)
    func withLeafValues(_ values: ChangeValues, _ body: (Unretained<AnyObject>, ChangeValues) -> Void) {
        guard let wrapping = leaf.map({ Unretained($0).with { $0.wrapping } }),
            let root = Unretained(subject).with({ $0.root })
        else { return }
        let lentRoot = Unretained(root)
        ValueWrapping.with(wrapping, values) { body(lentRoot, $0) }
        extendLifetime(root)
    }

    /// Calls `body` with the watch's values and edit, which has steps in a transaction.
    func withLeafValues(
        _ edit: Unretained<Edit>?, _ values: ChangeValues,
        _ body: (Unretained<AnyObject>, Unretained<Edit>?, ChangeValues) -> Void
    ) {
        let wrapped = edit == nil ? nil : wrappedSteps(edit?.object)
        withLeafValues(values) { body($0, wrapped.map { Unretained($0) } ?? edit, $1) }
        extendLifetime(wrapped)
    }

    /// The content for its observers, with the watch's values.
    func content(
        of root: Unretained<AnyObject>, _ edit: Unretained<Edit>?, _ values: ChangeValues,
        _ event: EngineTrace.EventNumber
    ) -> CallContent {
        CallContent(
            root.object, ObjectIdentifier(watch), KeptValues(edit?.object, values, subject.valueType), .change, event)
    }

    /// The edit with the watch's values in its steps, if it has steps.
    @inline(never)
    private func wrappedSteps(_ edit: Edit?) -> Edit? {
        guard let leaf, edit?.steps != nil else { return nil }
        return edit?.wrapped(by: leaf, subject.valueType)
    }
}

// Marks in a loan's word beside an address.
private let empty: UInt = 0
/// The mark of lent recipients.
private let lent: UInt = 1
private let overdue: UInt = 2
private let marks: UInt = 3

/// Keeps the recipients of a property, and lends them to one change at a time without a lock.
///
/// Borrowing and giving back take one atomic operation each, and count no reference. Everything else happens under the
/// lock of the table, where a change that finds the recipients lent takes a counted reference.
///
/// | state | `borrow` | `giveBack` | `keep` (locked) | `recall` (locked) |
/// | --- | --- | --- | --- | --- |
/// | empty | fails | – | kept | – |
/// | kept | lent | – | – | empty; the caller releases |
/// | lent | fails | kept | – | overdue |
/// | overdue | fails | empty; the borrower releases | – | – |
///
/// Nothing is kept while recipients are overdue, so there is one borrower at most.
///
/// Each transition is one compare-and-exchange. It acquires, so that a borrower sees the recipients complete, and so
/// that the thread that releases them does so after all use of them. It releases, so that the next borrower comes after
/// this borrower's use.
package struct RecipientsLoan<Lent: AnyObject>: ~Copyable {
    private let word = Atomic<UInt>(empty)

    package init() {}

    deinit {
        unsafe recall()?.release()
    }

    /// Borrows the recipients, if there are any and they are not lent.
    @inline(__always)
    package borrowing func borrow() -> Unmanaged<Lent>? {
        let address = word.load(ordering: .relaxed)
        // New recipients at the same address are just as valid.
        guard address != empty, address & marks == 0, exchange(address, for: address | lent) else {
            return nil
        }
        return unsafe UnsafeRawPointer(bitPattern: address).map { unsafe .fromOpaque($0) }
    }

    /// Gives back borrowed recipients.
    @inline(__always)
    package borrowing func giveBack(_ recipients: Unmanaged<Lent>) {
        let address = unsafe UInt(bitPattern: recipients.toOpaque())
        if exchange(address | lent, for: address) { return }
        // They are overdue, which no other thread changes.
        _ = exchange(overdue, for: empty)
        unsafe recipients.release()
    }

    /// The recipients, lent or not; call it under the lock of the table.
    package borrowing func current() -> Lent? {
        unsafe Self.recipients(word.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Keeps recipients, if there are none; call it under the lock of the table.
    package borrowing func keep(_ recipients: Lent) {
        guard word.load(ordering: .acquiring) == empty else { return }
        word.store(Unretained.retain(recipients), ordering: .releasing)
    }

    /// Removes the recipients; call it under the lock of the table.
    ///
    /// - Returns: The recipients, to release after leaving the lock; nil if their borrower releases them.
    package borrowing func recall() -> Unmanaged<Lent>? {
        while true {
            let address = word.load(ordering: .relaxed)
            if address == empty || address == overdue { return nil }
            let isLent = address & lent != 0
            // The exchange fails if they are lent or given back meanwhile.
            guard exchange(address, for: isLent ? overdue : empty) else { continue }
            return isLent ? nil : unsafe Self.recipients(address)
        }
    }

    @inline(__always)
    private borrowing func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    private static func recipients(_ address: UInt) -> Unmanaged<Lent>? {
        unsafe UnsafeRawPointer(bitPattern: address & ~marks).map { unsafe Unmanaged.fromOpaque($0) }
    }
}
