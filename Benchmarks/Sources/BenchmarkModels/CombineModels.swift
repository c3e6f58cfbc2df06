// OpenCombine's.
public import OpenCombine

/// An integer and a string.
public final class PublishedModel: ObservableObject {
    /// An integer.
    @Published public var number = 0
    /// A string.
    @Published public var text = ""

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> PublishedModel { PublishedModel() }
}

/// What paths lead through.
public final class PublishedNode: ObservableObject {
    /// The object behind this one.
    @Published public var next: PublishedNode?
    /// An integer.
    @Published public var number = 0

    /// An object before another.
    public init(next: PublishedNode? = nil) { self.next = next }
}

/// An array.
public final class PublishedItems: ObservableObject {
    /// The array.
    @Published public var items: [Int]

    /// An object with this array.
    public init(_ items: [Int]) { self.items = items }
}

/// An integer and a string without `@Published`.
public final class SubjectModel {
    /// An integer.
    public let number = CurrentValueSubject<Int, Never>(0)
    /// A string.
    public let text = CurrentValueSubject<String, Never>("")

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> SubjectModel { SubjectModel() }
}
