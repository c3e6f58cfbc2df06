// The changes that wait for one registration, until they are delivered elsewhere.

/// Takes the changes of an inbox to where they are handled.
package protocol InboxDelivery<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Whether what is delivered to is still there.
    var hasRecipient: Bool { get }

    /// Called when something waits, on the thread that made the change; then not before ``ChangeInbox/take()`` has
    /// returned nil.
    func begin(_ inbox: ChangeInbox<Value>)

    /// Called when nothing will come, on any thread.
    func end()
}

extension InboxDelivery {
    package var hasRecipient: Bool { true }

    package func end() {}
}

/// An inbox: bounded, in order, and emptied by one task at a time.
///
/// The registration fills it, and a delivery takes the changes, one after the other. It ends with the token. When the
/// object dies, what waits is still delivered.
package final class ChangeInbox<Value: Sendable>: @unchecked Sendable {
    private let contents: Guarded<Contents>
    /// What the handler asked for.
    private let options: KeyValueObservingOptions
    /// What is kept of each change, which may be more.
    private let kept: KeyValueObservingOptions
    /// Whether changes of elements are to come with the whole value after them.
    let needsWholes: Bool
    private let tracksWhole: Bool
    /// What was delivered last, where only what differs from that is.
    private let distinct: DistinctValues<Value>?

    private struct Contents {
        var state: InboxState<Value>
        /// Nil once the inbox has ended.
        var delivery: (any InboxDelivery<Value>)?
        weak var observation: KeyValueObservation?
    }

    /// Creates the inbox of a registration that is being made.
    ///
    /// - Parameters:
    ///   - policy: How many changes may wait.
    ///   - options: What the handler asked for.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - distinct: What was delivered last, where only what differs from that is.
    ///   - delivery: Takes the changes.
    init(
        _ policy: KeyValueBufferingPolicy, _ options: KeyValueObservingOptions, ofWholes isOfWholes: Bool,
        distinct: DistinctValues<Value>?, _ delivery: some InboxDelivery<Value>
    ) {
        self.options = options
        self.distinct = distinct
        kept = distinct == nil ? options : options.union(.new)
        let isBounded = policy.bound != nil
        needsWholes = isOfWholes || distinct != nil || isBounded && !options.isDisjoint(with: [.old, .new])
        tracksWhole = isBounded && options.contains(.old) && Self.isOfCollections
        contents = Guarded(
            Contents(
                state: InboxState(policy, kept, ofWholes: isOfWholes, trackingWhole: tracksWhole),
                delivery: delivery))
    }

    /// Whether the values may change element by element.
    private static var isOfCollections: Bool {
        let type = (Value.self as? any OptionalValue.Type)?.innermostType ?? Value.self
        return type is any Collection.Type
    }

    /// What must be read, beside what the handler is called with.
    var needs: KeyValueObservingOptions { tracksWhole || distinct != nil ? .new : [] }

    // MARK: What comes

    /// Adds a change, on the thread that made it.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - value: Reads the value, which is that after the change unless it is one of elements in a transaction. That
    ///     comes with the value.
    func add(_ change: KeyValueObservedChange<Value>, _ value: () -> Value) {
        var whole = change.newValue
        if let elements = change.elements {
            whole = needsWholes ? elements.whole?.value(as: Value.self) ?? Tracking.suspended(value) : nil
        }
        let change = change.limited(to: kept).withoutWhole
        let (addition, delivery) = contents.withLock { contents in
            let addition = contents.state.add(change, whole: whole)
            return (addition, contents.delivery)
        }
        if let delivery, delivery.hasRecipient {
            if addition.begins { delivery.begin(self) }
        } else {
            abandon()
        }
        withExtendedLifetime(addition) {}
    }

    /// Lets the delivery begin: the registration has been made.
    ///
    /// - Parameters:
    ///   - observation: The registration.
    ///   - initial: The call of `.initial`, if it was asked for.
    ///   - value: Reads the value as it is now.
    func open(
        for observation: KeyValueObservation, initial: KeyValueObservedChange<Value>?, _ value: () -> Value
    ) {
        let whole = tracksWhole ? Tracking.suspended(value) : nil
        let (addition, delivery) = contents.withLock { contents in
            contents.observation = observation
            return (contents.state.open(initial: initial, whole: whole), contents.delivery)
        }
        if addition.begins { delivery?.begin(self) }
        withExtendedLifetime(addition) {}
    }

    // MARK: What is taken

    /// Takes the next change, whose handler is called at once; nil if nothing waits.
    ///
    /// To be called where the handler is called, with nothing in between: no change is returned after the registration
    /// was ended there.
    package func take() -> KeyValueObservedChange<Value>? {
        switch next() {
        case .change(let change): change
        case .nothing, .over: nil
        }
    }

    enum Next {
        case change(KeyValueObservedChange<Value>)
        case nothing
        case over
    }

    /// The same, and why there is none.
    func next() -> Next {
        while true {
            switch contents.withLock({ $0.state.take() }) {
            case .change(let change, let entry):
                if let change = differing(change, whole: entry.whole) { return .change(change) }
                contents.withLock { $0.state.skip() }
            case .nothing: return .nothing
            case .over:
                end()
                return .over
            }
        }
    }

    /// A change that was taken, as it is delivered; nil if the value equals the one that was delivered last.
    private func differing(
        _ change: KeyValueObservedChange<Value>, whole: Value?
    ) -> KeyValueObservedChange<Value>? {
        guard let distinct else { return change }
        let isOfElements = change.elements != nil
        guard let value = isOfElements ? whole : change.newValue else { return change.limited(to: options) }
        // Nothing was there before the initial call.
        let isInitial = options.contains(.initial) && contents.withLock { $0.state.deliveredCount == 1 }
        guard let old = distinct.replace(with: value, always: isOfElements || isInitial) else { return nil }
        if isOfElements { return change.limited(to: options) }
        return KeyValueObservedChange(
            kind: .setting, newValue: value, oldValue: change.oldValue == nil ? nil : old, elements: nil,
            isPrior: false, origin: change.origin
        ).limited(to: options)
    }

    // MARK: The end

    /// Ends the registration: who it was for is gone.
    package func abandon() {
        let observation = contents.withLock { $0.observation }
        end()
        observation?.invalidate()
    }

    /// Ends the inbox: nothing more is delivered.
    func end() {
        let (last, delivery) = contents.withLock { contents -> (InboxState<Value>, (any InboxDelivery<Value>)?) in
            defer { contents.delivery = nil }
            return (contents.state.end(), contents.delivery)
        }
        delivery?.end()
        withExtendedLifetime(last) {}
    }

    /// Ends the inbox when what waits has been delivered: the object is gone.
    func finish() {
        if contents.withLock({ $0.state.finish() }) { end() }
    }

    /// Whether what is delivered to is gone.
    var isAbandoned: Bool {
        let (hasEnded, delivery) = contents.withLock { ($0.state.hasEnded, $0.delivery) }
        return hasEnded || !(delivery?.hasRecipient ?? false)
    }

    /// How many handlers have been called, and how many changes were dropped.
    var counts: (delivered: Int, dropped: Int) {
        contents.withLock { ($0.state.deliveredCount, $0.state.droppedCount) }
    }
}

extension KeyValueObservedChange {
    /// The change without the whole value that came with its elements: who keeps the change keeps no more than these.
    fileprivate var withoutWhole: Self {
        guard let elements, elements.whole != nil else { return self }
        return Self(
            kind: kind, newValue: newValue, oldValue: oldValue, elements: elements.with(whole: nil), isPrior: isPrior,
            origin: origin)
    }
}

extension OptionalValue {
    /// What is in this optional and those within.
    fileprivate static var innermostType: Any.Type {
        (wrappedType as? any OptionalValue.Type)?.innermostType ?? wrappedType
    }
}
