// The changes in an inbox, and those consumed from it.

/// A change in an inbox, without the type of its values.
///
/// All inboxes that one line of a program fills share one object.
class WaitingChange: @unchecked Sendable {
    /// Whether some elements changed, and not the whole value.
    final let isOfElements: Bool
    final let hasOldValue: Bool

    fileprivate init(ofElements isOfElements: Bool, hasOldValue: Bool) {
        self.isOfElements = isOfElements
        self.hasOldValue = hasOldValue
    }

    /// The change as kept for the next one, without the old value.
    func keeping() -> WaitingChange { self }
}

/// A change in an inbox, with its values.
final class BoxedChange<Value>: WaitingChange, @unchecked Sendable {
    let change: KeyValueObservedChange<Value>
    /// The whole value after a change of elements, if it may be needed.
    private let whole: Value?

    init(_ change: KeyValueObservedChange<Value>, whole: Value? = nil) {
        self.change = change
        self.whole = whole
        super.init(ofElements: change.kind != .setting, hasOldValue: change.oldValue != nil)
    }

    /// A lane has the changes of one registration, whose values are of one type.
    static func of(_ change: WaitingChange) -> Self { unsafe unsafeDowncast(change, to: Self.self) }

    /// The value after the change, if known.
    var valueAfter: Value? { isOfElements ? whole : change.newValue }

    override func keeping() -> WaitingChange {
        hasOldValue || isOfElements ? BoxedChange(setting(from: nil)) : self
    }

    /// The change as a setting of the whole value.
    func setting(from old: Value?) -> KeyValueObservedChange<Value> {
        KeyValueObservedChange(
            kind: .setting, oldValue: old, newValue: valueAfter, edit: nil, isPrior: false, origin: change.origin)
    }
}

/// A change removed from an inbox, to handle now.
struct TakenChange: Sendable {
    fileprivate let change: WaitingChange
    /// The change last delivered to the registration.
    fileprivate let last: WaitingChange?
    /// Whether it is now a setting of the whole value, from the last one.
    fileprivate let isWhole: Bool
    /// The registration that it belongs to.
    let lane: Int
    /// The event of its insertion.
    let event: EngineTrace.EventNumber

    init(_ entry: InboxState.Entry, after last: WaitingChange?, asWhole isWhole: Bool) {
        (change, self.last, self.isWhole, lane, event) = (entry.change, last, isWhole, entry.lane, entry.event)
    }

    /// The change, for a registration whose values are of a type.
    func change<Value>(of _: Value.Type, limitedTo options: KeyValueObservingOptions) -> KeyValueObservedChange<Value> {
        let box = BoxedChange<Value>.of(change)
        let change = isWhole ? box.setting(from: last.flatMap { BoxedChange<Value>.of($0).valueAfter }) : box.change
        return change.limited(to: options)
    }

    /// The value after the change, for a registration that keeps whole values.
    func value<Value>(of _: Value.Type) -> Value {
        guard let value = BoxedChange<Value>.of(change).valueAfter else {
            preconditionFailure("whole values were asked for")
        }
        return value
    }

    /// Makes changes of one type into ones with values of any type, which are never optionals.
    static func erasing<Value: Sendable>(
        _: Value.Type, limitedTo options: KeyValueObservingOptions
    ) -> @Sendable (Self) -> KeyValueObservedChange<any Sendable> {
        @Sendable func open<Erased>(_ value: Value, _: Erased.Type) -> Erased {
            // A cast to `any Sendable` always succeeds, and this value is Sendable by its type.
            guard let erased = bare(value) as? Erased else { preconditionFailure("the protocol asks for nothing") }
            return erased
        }
        return { $0.change(of: Value.self, limitedTo: options).mapValues { open($0, (any Sendable).self) } }
    }
}
