// The options of an observer.

/// The values and extra calls that a registration requests.
///
/// The raw values are those of Cocoa's `NSKeyValueObservingOptions`.
public struct KeyValueObservingOptions: OptionSet, Hashable, Sendable {
    /// The bits, Cocoa's.
    public let rawValue: UInt

    /// Creates a set of options from Cocoa's bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Changes carry the new value, read once after the change and shared by all observers of it.
    public static let new = Self(rawValue: 1)
    /// Changes carry the old value: for a stored or manual property, the value that the change replaced; otherwise, and
    /// with ``distinct``, the value last delivered to the handler.
    ///
    /// Without it, a change in place does not copy the value for this registration.
    public static let old = Self(rawValue: 2)
    /// The handler is also called once before `observe` returns, with the current value if `.new` was requested.
    ///
    /// On an actor, on a queue and in a sequence, this call is the first one, and may come after `observe` has
    /// returned. So may the call for an ``ObservedShared`` property, or for a key path that reads one: if another
    /// thread is calling observers, that thread makes this call. It makes none if the registration has ended by then.
    public static let initial = Self(rawValue: 4)
    /// The handler is also called before each change is made, with the old value if that was requested.
    ///
    /// Registering with it for delivery on an actor, on a queue or in a sequence traps.
    public static let prior = Self(rawValue: 8)
    /// The handler is not called with a value that equals the one last delivered to it.
    ///
    /// The first value is compared with that at the registration. The old value of a change is the value last delivered
    /// to the handler, even if ignored, dropped or silent changes came in between. This holds for a stored property,
    /// too. The type of the values must be `Equatable`, or registering traps; by name it throws. Changes of elements
    /// are always delivered, and so is the call before a change that `.prior` requests, because it is not known yet
    /// whether the values will differ.
    ///
    /// The registration keeps the last value, an instance of a class weakly. A change of elements is made in the kept
    /// value, so it costs no copy. Combine's `removeDuplicates` does the same for publishers.
    public static let distinct = Self(rawValue: 16)

    private static let all: Self = [.new, .old, .initial, .prior, .distinct]
    /// The existing options; a set made of bits may contain others, which mean nothing.
    var known: Self { intersection(.all) }
}

extension KeyValueObservingOptions: CustomStringConvertible {
    /// The options' names in the order of their bits, such as `[new, old]`.
    public var description: String {
        let names: [(Self, String)] = [
            (.new, "new"), (.old, "old"), (.initial, "initial"), (.prior, "prior"),
            (.distinct, "distinct"),
        ]
        let present = names.filter { contains($0.0) }.map(\.1)
        let others = subtracting(known).rawValue
        return "[" + (present + (others == 0 ? [] : [String(others)])).joined(separator: ", ") + "]"
    }
}
