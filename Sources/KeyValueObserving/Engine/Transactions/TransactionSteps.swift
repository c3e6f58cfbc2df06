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
        var old: BoxedValue?
        var new: BoxedValue?
    }

    private var segments: [Segment] = []

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
        if elements == nil, let last = segments.last, last.elements == nil, last.ignored == ignored,
            newest <= last.newestNumber
        {
            segments[segments.count - 1].new = new
        } else {
            segments.append(
                Segment(
                    newestNumber: number, ignored: ignored, elements: elements, whole: whole, old: old, new: new))
        }
    }

    /// Notes the values before the first change and after the last one, as far as they are known.
    ///
    /// Another thread may have notified observers of other values since the changes were added.
    mutating func setEnds(old: BoxedValue?, new: BoxedValue?) {
        guard let first = segments.indices.first, let last = segments.indices.last else { return }
        if let old, segments[first].elements == nil { segments[first].old = old }
        if let new, segments[last].elements == nil { segments[last].new = new }
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
            segments[segments.count - 1].new = new
        } else {
            segments.append(
                Segment(
                    newestNumber: last.newestNumber, ignored: [], elements: nil, whole: nil, old: old, new: new))
        }
    }

    /// What each registration is called with.
    func steps(for registrations: RegistrationList, of object: AnyObject) -> [DeliveryBatch.Step] {
        registrations.all.flatMap { registration in
            var steps: [DeliveryBatch.Step] = []
            for segment in segments
            where registration.number <= segment.newestNumber && !segment.ignored.contains(registration.number) {
                if segment.elements == nil, let last = steps.last, last.elements == nil {
                    steps[steps.count - 1].new = segment.new
                } else {
                    steps.append(
                        .init(
                            registration: registration, object: object,
                            elements: registration.needsWholes
                                ? segment.elements?.with(whole: segment.whole) : segment.elements,
                            old: segment.old, new: segment.new))
                }
            }
            return steps
        }
    }
}
