// What an observer asks for.

/// What a registration asks for beside the fact of a change.
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
    /// Changes carry the old value, read before the change.
    ///
    /// Without it, a change in place does not copy the value for this registration.
    public static let old = Self(rawValue: 2)
    /// The handler is also called once before `observe` returns, with the current value if `.new` was asked for.
    ///
    /// On an actor, on a queue and in a sequence, this call is the first one there, and may come after `observe` has
    /// returned.
    public static let initial = Self(rawValue: 4)
    /// The handler is also called before each change is made, with the old value if that was asked for.
    ///
    /// Registering with it for delivery on an actor, on a queue or in a sequence traps.
    public static let prior = Self(rawValue: 8)
}

extension KeyValueObservingOptions: CustomStringConvertible {
    /// The options' names in the order of their bits, such as `[new, old]`.
    public var description: String {
        let names: [(Self, String)] = [(.new, "new"), (.old, "old"), (.initial, "initial"), (.prior, "prior")]
        let present = names.filter { contains($0.0) }.map(\.1)
        let others = rawValue & ~15
        return "[" + (present + (others == 0 ? [] : [String(others)])).joined(separator: ", ") + "]"
    }
}
