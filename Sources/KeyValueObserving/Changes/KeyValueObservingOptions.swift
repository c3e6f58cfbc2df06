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
    /// Changes carry the old value: at a stored or manual property the one that the change replaced, elsewhere, and with
    /// ``distinct``, the one that the handler was called with last.
    ///
    /// Without it, a change in place does not copy the value for this registration.
    public static let old = Self(rawValue: 2)
    /// The handler is also called once before `observe` returns, with the current value if `.new` was asked for.
    ///
    /// On an actor, on a queue and in a sequence, this call is the first one there, and may come after `observe` has
    /// returned. It may do so at an ``ObservedShared`` property, and at what reads one, too: if another thread is calling
    /// observers, it makes this call. It makes none if the registration has ended by then.
    public static let initial = Self(rawValue: 4)
    /// The handler is also called before each change is made, with the old value if that was asked for.
    ///
    /// Registering with it for delivery on an actor, on a queue or in a sequence traps.
    public static let prior = Self(rawValue: 8)
    /// The handler is not called with a value that equals the one it was called with last.
    ///
    /// The first value is compared with that at the registration. The old value of a change is the one that the handler
    /// was called with last, whatever happened in between: changes that were ignored, dropped or silent. This holds at a
    /// stored property, too. The type of the values must be `Equatable`, or registering traps; by name it throws. Changes
    /// of elements are always delivered, and so is the call before a change that `.prior` asks for, since nobody knows yet
    /// whether the values will differ.
    ///
    /// The registration keeps the last value, an instance of a class weakly. A change of elements is made in what is kept,
    /// so it costs no copy. Combine's `removeDuplicates` does the same for publishers.
    public static let distinct = Self(rawValue: 16)

    private static let all: Self = [.new, .old, .initial, .prior, .distinct]
    /// Those that there are: a set made of bits may have others, which mean nothing.
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
