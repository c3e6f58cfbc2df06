// Observation's, of the toolchain.
public import Observation

/// An integer and a string.
@Observable
public final class ObservableModel {
    /// An integer.
    public var number = 0
    /// A string.
    public var text = ""

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> ObservableModel { ObservableModel() }
}

/// A sum of two properties.
@Observable
public final class ObservableSum {
    /// One source.
    public var first = 0
    /// The other source.
    public var second = 0
    /// What is computed from both.
    public var sum: Int { first + second }

    /// An object whose properties have their first values.
    public init() {}
}

/// What paths lead through.
@Observable
public final class ObservableNode {
    /// The object behind this one.
    public var next: ObservableNode?
    /// An integer.
    public var number = 0

    /// An object before another.
    public init(next: ObservableNode? = nil) { self.next = next }
}

/// An array.
@Observable
public final class ObservableItems {
    /// The array.
    public var items: [Int]

    /// An object with this array.
    public init(_ items: [Int]) { self.items = items }
}
