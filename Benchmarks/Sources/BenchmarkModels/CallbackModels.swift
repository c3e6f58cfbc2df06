// One closure, called by hand from `didSet`: the least that observing can cost.

/// An integer and a string, each with one closure.
public final class CallbackModel {
    /// Told each change of the number.
    public var numberHandler: ((_ old: Int, _ new: Int) -> Void)?
    /// Told each change of the text.
    public var textHandler: ((_ old: String, _ new: String) -> Void)?
    /// An integer.
    public var number = 0 {
        didSet { numberHandler?(oldValue, number) }
    }
    /// A string.
    public var text = "" {
        didSet { textHandler?(oldValue, text) }
    }

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> CallbackModel { CallbackModel() }
}

/// An array with one closure, which is not told the old value, so that nothing is copied.
public final class CallbackItems {
    /// Told the last element after each change.
    public var handler: ((_ new: Int) -> Void)?
    /// The array.
    public var items: [Int] {
        didSet { handler?(items.last ?? 0) }
    }

    /// An object with this array.
    public init(_ items: [Int]) { self.items = items }
}
