// The view that changes a property, independent of the type of its object.

/// A live view through which you read and change a property, such as `person.mutable(\.tags)`.
///
/// You can pass it to code that knows the value's type but not the object's. It keeps the object alive, always reads
/// the current value, and writes like the property itself: observers are notified.
///
/// ```swift
/// func reset(_ counter: ObservedMutableProperty<Int>) { counter.value = 0 }
/// reset(person.mutable(\.age))
/// ```
///
/// It needs a writable key path, so only code that may set the property gets one.
///
/// ### Views of collections
///
/// The view of a collection is a collection itself, and its mutating methods report which elements change and where, as
/// the proxies of Cocoa's `mutableArrayValue(forKey:)` do:
///
/// ```swift
/// let token = person.observe(\.tags, options: .new) { _, change in
///     print(change.kind, change.requiredNewValue, change.indexes!.ranges[0])
/// }
/// person.mutable(\.tags).append("new")        // prints "insertion ["new"] 0..<1"
/// ```
///
/// Each call is one change, with its kind, its positions and the elements concerned. Three methods can make two
/// changes, one after the other: `moveSubranges(_:to:)`, `replaceSubrange(_:with:)` and `formSymmetricDifference(_:)`. The cost
/// of a change of a stored property does not depend on the number of other elements. Setting ``value``, or changing it
/// in place, is a setting of the whole.
///
/// If the class says that the property notifies manually, setting ``value`` notifies no observer either. The methods
/// that change elements, and `apply(_:)`, announce what they change.
///
/// ### Notes
///
/// A view is as safe to use from several threads as the property is. The view of an `@Observed` property changes the
/// value where it is stored: a `willSet` or `didSet` of the property is not called. Of an `@ObservedShared` property,
/// only setting ``value`` calls them. If the object's class overrides the property, or if the property is computed, the
/// view uses its accessors, and so calls them.
public struct ObservedMutableProperty<Value> {
    @usableFromInline let backing: ViewBacking<Value>

    init(_ backing: ViewBacking<Value>) {
        self.backing = backing
    }

    /// The property's value; setting or changing it in place is one change of the property.
    ///
    /// Observers are called on this thread, before the assignment returns. Reading or changing the property while it is
    /// changed in place traps, as it does without a view.
    public var value: Value {
        get { backing.value }
        nonmutating set { backing.value = newValue }
        nonmutating _modify { yield &backing.value }
    }

    /// Runs a call of the view, which is atomic if several threads share the value.
    @inlinable @inline(__always)
    func asStep<Result>(_ body: () throws -> Result) rethrows -> Result {
        let isStep = backing.place == nil && backing.beginStep()
        defer { if isStep { backing.endStep() } }
        return try body()
    }

    /// Runs a call of the view that may be two changes, with one ``Delivery.Outermost`` for both.
    ///
    /// An undo manager can thus undo the call as one step.
    @usableFromInline
    func asOneChange<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try Delivery.withEmptyDelivery(body)
    }
}

extension ObservedMutableProperty: CustomStringConvertible {
    /// The current value's description.
    public var description: String { String(describing: value) }
}
