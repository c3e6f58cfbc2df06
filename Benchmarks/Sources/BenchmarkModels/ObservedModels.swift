// This library's.
public import KeyValueObserving
public import KeyValueTracking
public import Observation

/// An integer and a string.
public final class ObservedModel: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// An integer.
    @Observed public var number = 0
    /// A string.
    @Observed public var text = ""

    /// An object whose properties have their first values.
    public init() {}

    /// A new object, which the optimizer cannot see through.
    @inline(never)
    public static func make() -> ObservedModel { ObservedModel() }
}

/// An integer that several threads change.
public final class SharedModel: KeyValueObservable, @unchecked Sendable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// An integer.
    @ObservedShared public var number = 0

    /// An object whose property has its first value.
    public init() {}
}

/// The same integer for Observation, too.
public final class TrackedModel: KeyValueTrackable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// Leads to what Observation tracks.
    public let observationRegistrar = ObservationRegistrar()
    /// An integer.
    @Observed public var number = 0

    /// An object whose property has its first value.
    public init() {}
}

/// A sum of two properties.
public final class ObservedSum: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// One source.
    @Observed public var first = 0
    /// The other source.
    @Observed public var second = 0
    /// What is computed from both.
    public var sum: Int { first + second }

    /// An object whose properties have their first values.
    public init() {}
}

/// Ten integers.
public final class ObservedRow: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    @Observed var column0 = 0
    @Observed var column1 = 0
    @Observed var column2 = 0
    @Observed var column3 = 0
    @Observed var column4 = 0
    @Observed var column5 = 0
    @Observed var column6 = 0
    @Observed var column7 = 0
    @Observed var column8 = 0
    @Observed var column9 = 0

    /// An object whose properties have their first values.
    public init() {}

    /// Sets all of them.
    public func set(_ value: Int) {
        column0 = value
        column1 = value
        column2 = value
        column3 = value
        column4 = value
        column5 = value
        column6 = value
        column7 = value
        column8 = value
        column9 = value
    }

    /// The key paths of all.
    public static var columns: [KeyPath<ObservedRow, Int>] {
        [
            \.column0, \.column1, \.column2, \.column3, \.column4, \.column5, \.column6, \.column7, \.column8,
            \.column9,
        ]
    }
}

/// An integer that notifies by hand.
public final class ObservedGauge: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    private var raw = 0
    /// The integer.
    public var level: Int {
        get {
            accessValue(for: \.level)
            return raw
        }
        set {
            changeValue(for: \.level) { raw = newValue }
        }
    }

    /// An object whose property has its first value.
    public init() {}
}

/// What a path of two objects starts at.
public final class ObservedHolder: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The object behind this one.
    @Observed public var held: ObservedHeld

    /// An object with another one behind it.
    public init(_ held: ObservedHeld) { self.held = held }
}

/// What a path of two objects leads through.
public final class ObservedHeld: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The object behind this one.
    @Observed public var model: ObservedModel

    /// An object with another one behind it.
    public init(_ model: ObservedModel) { self.model = model }
}

/// What paths lead through that may end earlier.
public final class ObservedNode: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The object behind this one.
    @Observed public var next: ObservedNode?
    /// An integer.
    @Observed public var number = 0

    /// An object before another.
    public init(next: ObservedNode? = nil) { self.next = next }
}

/// An array.
public final class ObservedItems: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The array.
    @Observed public var items: [Int]

    /// An object with this array.
    public init(_ items: [Int]) { self.items = items }
}

/// What another class inherits from.
open class ObservedBase: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// An integer.
    @Observed public var number = 0

    /// An object whose properties have their first values.
    public init() {}
}

/// Inherits its integer.
public final class ObservedDerived: ObservedBase {}

/// Two strings, and another such object behind this one.
public final class ObservedText: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The object behind this one.
    @Observed public var next: ObservedText?
    /// One string.
    @Observed public var first: String = ""
    /// Another string, which is empty.
    @Observed public var second: String = ""
    /// The one that is not empty.
    public var chosen: String { second.isEmpty ? first : second }

    /// An object before another.
    public init(next: ObservedText? = nil) { self.next = next }
}

/// A string that several threads change.
public final class SharedText: KeyValueObservable, @unchecked Sendable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The string.
    @ObservedShared public var value: String = ""

    /// An object whose property has its first value.
    public init() {}
}

/// Two arrays, and another such object behind this one.
public final class ObservedList: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The object behind this one.
    @Observed public var next: ObservedList?
    /// One array.
    @Observed public var first: [Int] = []
    /// Another array, which is empty.
    @Observed public var second: [Int] = []
    /// The one that is not empty.
    public var chosen: [Int] { second.isEmpty ? first : second }

    /// An object before another.
    public init(next: ObservedList? = nil) { self.next = next }
}

/// An array that several threads change.
public final class SharedList: KeyValueObservable, @unchecked Sendable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The array.
    @ObservedShared public var value: [Int] = []

    /// An object whose property has its first value.
    public init() {}
}
