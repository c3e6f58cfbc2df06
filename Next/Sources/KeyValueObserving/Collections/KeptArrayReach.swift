// How a view gets at an array that is not a property.

/// Keeps an array for a view, in a way of its own.
package protocol ArrayKeeper: AnyObject {
    /// The array.
    var value: [Any] { get set }
    /// The array, for a caller that is about to change it.
    var current: [Any] { get }
    /// What the array is called, for messages: `tags of a Person`.
    var name: String { get }
    /// Changes the array.
    func change(_ apply: (inout [Any]) -> Void)
    /// Begins a call of a view that changes the array.
    ///
    /// - Returns: Whether the array can be read. If so, `endStep` must follow; if not, the call does nothing.
    func beginStep() -> Bool
    /// Ends what `beginStep` began.
    func endStep()
}

extension ObservedMutableProperty where Value == [Any] {
    /// A view of an array that is kept elsewhere.
    package init(keptBy keeper: some ArrayKeeper) {
        self.init(KeptArrayReach(keeper))
    }
}

/// Gets at an array through what keeps it.
private final class KeptArrayReach<Keeper: ArrayKeeper>: PropertyReach<[Any]> {
    private let keeper: Keeper

    init(_ keeper: Keeper) {
        self.keeper = keeper
        super.init()
    }

    override var value: [Any] {
        get { keeper.value }
        set { keeper.value = newValue }
        _modify { yield &keeper.value }
    }

    override var current: [Any] { keeper.current }

    override var name: String { keeper.name }

    override func change(
        _ edit: ElementsEdit<[Any]>, old: ([Any]) -> [Any]?, apply: (inout [Any], ElementsEdit<[Any]>.Mode) -> Void
    ) {
        keeper.change { apply(&$0, .asPlanned) }
    }

    override func beginStep() -> Bool { keeper.beginStep() }

    override func endStep() { keeper.endStep() }
}
