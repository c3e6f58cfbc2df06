// The changes that the observers of one property or path are notified of at the end of a transaction.

/// Changes of one property or path, in their order: settings that follow one another are one.
struct TransactionSteps {
    private struct Segment {
        /// Registrations with a later number are not concerned.
        let newestNumber: RegistrationNumber
        /// Registrations that are not notified of it.
        let ignored: Set<RegistrationNumber>
        /// How some elements changed; nil if the whole value was set.
        let elements: ElementsChange?
        /// The whole value after a change of elements, if a registration needs it.
        let whole: BoxedValue?
        let values: NotedValues
    }

    private var segments: [Segment] = []
    /// Whether each segment concerns all registrations that those before it concern.
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
        if elements == nil, let last = lastSetting(newest: newest, ignored) {
            last.new = new
        } else {
            append(
                Segment(
                    newestNumber: number, ignored: ignored, elements: elements, whole: whole,
                    values: NotedValues(old: old, new: new)))
        }
    }

    /// Begins a setting, or goes on with the last change if that is one.
    ///
    /// - Parameters:
    ///   - newest: The number of the last registration there is, which the setting concerns.
    ///   - needs: The values that are needed of it.
    /// - Returns: Where its values are noted.
    mutating func beginSetting(upTo newest: RegistrationNumber, needing needs: KeyValueObservingOptions) -> NotedValues
    {
        let ignored = IgnoredRegistrations.current
        if let last = lastSetting(newest: newest, ignored) { return last }
        let values = NotedValues(needingOld: needs.contains(.old))
        append(Segment(newestNumber: newest, ignored: ignored, elements: nil, whole: nil, values: values))
        return values
    }

    /// The values of the last change, if a setting that concerns these registrations belongs to it.
    private func lastSetting(newest: RegistrationNumber, _ ignored: Set<RegistrationNumber>) -> NotedValues? {
        guard let last = segments.last, last.elements == nil, last.ignored == ignored, newest <= last.newestNumber
        else {
            return nil
        }
        return last.values
    }

    private mutating func append(_ segment: Segment) {
        if let last = segments.last, last.newestNumber > segment.newestNumber { isAscending = false }
        segments.append(segment)
    }

    /// The values of the last change; nil if there is none.
    var lastValues: NotedValues? { segments.last?.values }

    /// Notes the values before the first change and after the last one, as far as they are known.
    ///
    /// Another thread may have notified observers of other values since the changes were added.
    mutating func setEnds(old: BoxedValue?, new: BoxedValue?) {
        guard let first = segments.indices.first, let last = segments.indices.last else { return }
        if let old, segments[first].elements == nil { segments[first].values.old = old }
        if let new, segments[last].elements == nil { segments[last].values.new = new }
    }

    /// How far changes go that have been noted.
    struct Extent {
        fileprivate let count: Int
        fileprivate let new: BoxedValue?
    }

    /// How far they go by now.
    var extent: Extent { Extent(count: segments.count, new: segments.last?.values.new) }

    /// Takes off what was noted later; all if there was nothing.
    mutating func cut(to extent: Extent?) {
        segments.removeLast(segments.count - (extent?.count ?? 0))
        if let extent { segments.last?.values.new = extent.new }
    }

    /// Whether the last change was one of elements.
    var endsWithElements: Bool { segments.last?.elements != nil }

    /// Notes that a getter set the value after the last change, which was noted.
    ///
    /// - Parameters:
    ///   - old: The value before that, if the last change was one of elements.
    ///   - new: The value after it.
    mutating func setLast(from old: BoxedValue?, to new: BoxedValue?) {
        guard let last = segments.last else { return }
        if last.elements == nil {
            last.values.new = new
        } else {
            append(
                Segment(
                    newestNumber: last.newestNumber, ignored: [], elements: nil, whole: nil,
                    values: NotedValues(old: old, new: new)))
        }
    }

    /// Adds what each registration is called with.
    func addSteps(for registrations: RegistrationList, of object: AnyObject, to steps: inout [DeliveryBatch.Step]) {
        guard let last = segments.last else { return }
        // From here on there are settings only, which nobody ignores: they are one.
        let firstPlain = (segments.lastIndex { $0.elements != nil || !$0.ignored.isEmpty }).map { $0 + 1 } ?? 0
        registrations.forEach(after: 0) { registration in
            guard isAscending else { return addSteps(for: registration, of: object, from: 0, to: &steps) }
            let first = firstIndex(for: registration.number)
            if first >= segments.count { return }
            if first >= firstPlain {
                steps.append(
                    .init(
                        registration: registration, object: object, elements: nil, old: segments[first].values.old,
                        new: last.values.new))
            } else {
                addSteps(for: registration, of: object, from: first, to: &steps)
            }
        }
    }

    /// The first segment that concerns a registration: the later one was made, the later it is.
    private func firstIndex(for number: RegistrationNumber) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].newestNumber < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func addSteps(
        for registration: Registration, of object: AnyObject, from first: Int, to steps: inout [DeliveryBatch.Step]
    ) {
        let start = steps.count
        for segment in segments[first...]
        where registration.number <= segment.newestNumber && !segment.ignored.contains(registration.number) {
            if segment.elements == nil, steps.count > start, steps[steps.count - 1].elements == nil {
                steps[steps.count - 1].new = segment.values.new
            } else {
                let elements =
                    registration.needsWholes ? segment.elements?.with(whole: segment.whole) : segment.elements
                steps.append(
                    .init(
                        registration: registration, object: object, elements: elements, old: segment.values.old,
                        new: segment.values.new))
            }
        }
    }
}
