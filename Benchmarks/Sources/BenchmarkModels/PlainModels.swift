// What everything is compared with: stored properties that nobody can observe.
import Synchronization

/// An integer and a string.
public final class PlainModel {
    /// An integer.
    public var number = 0
    /// A string.
    public var text = ""

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> PlainModel { PlainModel() }
}

/// An integer under a lock.
public final class LockedModel: Sendable {
    private let contents = Mutex(0)

    /// An integer.
    public var number: Int {
        get { contents.withLock { $0 } }
        set { contents.withLock { $0 = newValue } }
    }

    /// An object whose property has its first value.
    public init() {}
}

/// An array.
public final class PlainItems {
    /// The array.
    public var items: [Int]

    /// An object with this array.
    public init(_ items: [Int]) { self.items = items }
}
