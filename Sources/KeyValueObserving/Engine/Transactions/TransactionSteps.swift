// The changes that the observers of one property or path are notified of at the end of a transaction.

/// Changes of one property or path, in their order: settings that follow one another are one.
struct TransactionSteps {
    /// The last change.
    private(set) var last: NotedChange?
    /// Those before it; as a rule there are none.
    private var earlier: [NotedChange] = []
    /// Whether each change concerns all registrations that those before it concern.
    private var isAscending = true

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - whole: The whole value after a change of elements, if a registration needs it.
    ///   - number: The number of the last registration that the change concerns.
    ///   - newest: The number of the last registration there is.
    ///   - old: The value before it, or the elements that left.
    ///   - new: The value after it, or the elements that came.
    ///   - ignored: The registrations that are not notified of it.
    mutating func add(
        _ elements: ElementsChange?, whole: BoxedValue? = nil, upTo number: RegistrationNumber,
        newest: RegistrationNumber, old: BoxedValue?,
        new: BoxedValue?, ignored: Set<RegistrationNumber> = IgnoredRegistrations.current
    ) {
        if elements == nil, let last, last.takesSetting(upTo: newest, ignored) { return last.replaceNew(with: new) }
        append(NotedChange(elements, whole: whole, upTo: number, ignored: ignored, old: old, new: new))
    }

    /// Begins a setting, or goes on with the last change if that is one.
    ///
    /// - Parameters:
    ///   - newest: The number of the last registration there is, which the setting concerns.
    ///   - needs: The values that are needed of it.
    /// - Returns: Where its values are noted.
    mutating func beginSetting(
        upTo newest: RegistrationNumber, needing needs: KeyValueObservingOptions
    ) -> NotedChange {
        let ignored = IgnoredRegistrations.current
        if let last, last.takesSetting(upTo: newest, ignored) { return last }
        let change = NotedChange(upTo: newest, ignored: ignored, needing: needs)
        append(change)
        return change
    }

    private mutating func append(_ change: NotedChange) {
        if let last {
            if last.newestNumber > change.newestNumber { isAscending = false }
            earlier.append(last)
        }
        last = change
    }

    /// Notes the values before the first change and after the last one, as far as they are known; both are settings.
    ///
    /// Another thread may have notified observers of other values since the changes were added.
    func setEnds(old: BoxedValue?, new: BoxedValue?) {
        if let old { (earlier.first ?? last)?.old = old }
        if let new { last?.replaceNew(with: new) }
    }

    /// How far changes go that have been noted.
    struct Extent {
        fileprivate let count: Int
        fileprivate let new: BoxedValue?
    }

    /// How far they go by now.
    var extent: Extent { Extent(count: count, new: last?.new) }

    private var count: Int { earlier.count + (last == nil ? 0 : 1) }

    /// Takes off what was noted later; all if there was nothing.
    mutating func cut(to extent: Extent?) {
        while count > extent?.count ?? 0 { last = earlier.popLast() }
        if let extent { last?.replaceNew(with: extent.new) }
    }

    // MARK: What is delivered

    /// Adds what each registration is called with.
    func addCalls(of registrations: RegistrationList, _ object: AnyObject, to calls: inout [DeliveryBatch.Call]) {
        guard let last else { return }
        if earlier.isEmpty {
            return registrations.forEach(after: 0) { registration in
                if last.concerns(registration.number) { calls.append(.init(registration, object, last)) }
            }
        }
        let changes = earlier + CollectionOfOne(last)
        // From here on there are settings only, which nobody ignores: they are one.
        let firstPlain = changes.lastIndex { !$0.isPlain }.map { $0 + 1 } ?? 0
        registrations.forEach(after: 0) { registration in
            let first = isAscending ? Self.firstIndex(in: changes, for: registration.number) : 0
            if isAscending, first >= firstPlain {
                if first < changes.count {
                    calls.append(.init(registration, object, changes[first].with(new: last.new)))
                }
            } else {
                Self.addCalls(of: registration, object, changes[first...], to: &calls)
            }
        }
    }

    /// The first change that concerns a registration: the later one was made, the later it is.
    private static func firstIndex(in changes: [NotedChange], for number: RegistrationNumber) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].newestNumber < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func addCalls(
        of registration: Registration, _ object: AnyObject, _ changes: ArraySlice<NotedChange>,
        to calls: inout [DeliveryBatch.Call]
    ) {
        var setting: NotedChange?
        for change in changes where change.concerns(registration.number) {
            if change.elements == nil {
                setting = setting?.with(new: change.new) ?? change
            } else {
                if let setting { calls.append(.init(registration, object, setting)) }
                setting = nil
                calls.append(.init(registration, object, change))
            }
        }
        if let setting { calls.append(.init(registration, object, setting)) }
    }
}
