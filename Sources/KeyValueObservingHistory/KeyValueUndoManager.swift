// The manager that records the changes of a model, and undoes and redoes them.
public import KeyValueObserving

/// Records the changes of tracked properties, and undoes and redoes them.
///
/// ```swift
/// final class TodoList: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var title = ""
///     @Observed var items: [String] = []
/// }
///
/// let list = TodoList()
/// let undoManager = KeyValueUndoManager()
/// undoManager.track(list, \.title, \.items)
///
/// list.mutable(\.items).append("milk")
/// list.title = "Groceries"
/// try undoManager.undo()          // the title is empty again
/// try undoManager.undo()          // "milk" is removed
/// try undoManager.redo()          // "milk" is inserted
/// ```
///
/// ### Steps
///
/// One ``undo()`` undoes one step: one action of the user, with all changes that handlers and bindings made because of
/// it. A step is a set, an access in place, a call of a view's method, a transaction, or a group made by
/// ``group(named:_:)``. A change to an equal value is no step; `==` decides, so a difference that it ignores is not
/// recorded.
///
/// Undo makes the inverse changes through the properties, so observers are notified as of any change, and changes of
/// elements are changes of elements. It overrules values that handlers set in the step's properties meanwhile. A new
/// change drops all steps that could be redone.
///
/// ### Lifetime
///
/// Objects are held weakly unless `retainsObserved` is true. The changes of a dead object vanish from all steps, and a
/// step without changes is gone. The values in the steps are retained, so a removed element can come back.
///
/// ### Threads
///
/// Use a manager on the thread or actor that changes its objects: it is not `Sendable`, as most models are not. If a
/// property is tracked on an actor, a change made outside the actor traps. Properties that several threads change,
/// ``/KeyValueObserving/ObservedShared``, can be tracked if only one of these threads changes them while the manager is
/// in use.
public final class KeyValueUndoManager: KeyValueObservable {
    /// Makes ``canUndo`` and the others observable.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// How many steps can be undone at most; 0 for any number.
    ///
    /// If there are more, the oldest are dropped at once. By default it is the initializer's argument.
    ///
    /// - Precondition: It is not negative.
    public var levelsOfUndo: Int {
        didSet {
            Self.check(levelsOfUndo)
            trim()
            announce()
        }
    }

    let now: () -> Duration
    private(set) lazy var kvo = KVOController(observer: self, retainsObserved: retainsObserved, duplicates: .allow)
    /// Follows the objects in tracked collections, even while no changes are recorded.
    private(set) lazy var memberships = KVOController(observer: self, retainsObserved: false, duplicates: .allow)
    private let retainsObserved: Bool
    let tracked = TrackedObjects()

    /// The steps to undo, the oldest first.
    var undoSteps: [UndoStep] = []
    var redoSteps: [UndoStep] = []
    /// The number of steps at which the manager looks for dead ones.
    private var searchedCount = 64
    /// The state of the recording.
    var recording = Recording()
    /// The step being reverted, and the one recorded meanwhile.
    var reversal: Reversal?

    // The values last delivered to observers of the properties below.
    @Observed private var announcedCanUndo = false
    @Observed private var announcedCanRedo = false
    @Observed private var announcedUndoActionName: String?
    @Observed private var announcedRedoActionName: String?

    /// Creates a manager that tracks nothing.
    ///
    /// - Parameters:
    ///   - levelsOfUndo: How many steps can be undone at most; 0 for any number.
    ///   - retainsObserved: Whether tracked objects are kept alive until ``stopTracking(_:)``. An object that owns its
    ///     manager then never dies.
    ///   - clock: Measures the time between changes that are coalesced; by default the time while the machine is awake and
    ///     while it sleeps.
    /// - Precondition: `levelsOfUndo` is not negative.
    public init(
        levelsOfUndo: Int = 0, retainsObserved: Bool = false, clock: some Clock<Duration> = ContinuousClock()
    ) {
        Self.check(levelsOfUndo)
        self.levelsOfUndo = levelsOfUndo
        self.retainsObserved = retainsObserved
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    private static func check(_ levels: Int) {
        if levels < 0 {
            fatalError("levelsOfUndo is \(levels). Give it 0 for any number of steps, or a positive number.")
        }
    }

    // MARK: Steps

    /// Whether there is a step to undo.
    ///
    /// It is observable. The death of an object, which may empty a step, does not notify observers until the manager's
    /// next change.
    public var canUndo: Bool { announcedCanUndo && !undoSteps.isDead }

    /// Whether there is a step to redo; observable as ``canUndo`` is.
    public var canRedo: Bool { announcedCanRedo && !redoSteps.isDead }

    /// The name of the step that ``undo()`` undoes; nil if it has none, or if there is no step.
    ///
    /// It is observable as ``canUndo`` is. See ``group(named:_:)``.
    public var undoActionName: String? { undoSteps.actionName(announced: announcedUndoActionName) }

    /// The name of the step that ``redo()`` redoes; observable as ``canUndo`` is.
    public var redoActionName: String? { redoSteps.actionName(announced: announcedRedoActionName) }

    /// Whether a step is being undone: true in the handlers that ``undo()`` calls.
    public var isUndoing: Bool { reversal?.isUndo == true }

    /// Whether a step is being redone: true in the handlers that ``redo()``, ``restore(_:)`` and ``replay(_:)`` call.
    public var isRedoing: Bool { reversal?.isUndo == false }

    /// Forgets all steps.
    ///
    /// The objects stay tracked. Called while a step is undone, it drops that step, too.
    public func removeAllActions() {
        undoSteps = []
        redoSteps = []
        reversal?.isDropped = true
        recording.step?.forgetChanges()
        announce()
    }

    /// Notifies observers of the properties that have changed.
    func announce() {
        undoSteps.removeDeadEnd()
        redoSteps.removeDeadEnd()
        let isKnown =
            announcedCanUndo != undoSteps.isEmpty && announcedCanRedo != redoSteps.isEmpty
            && announcedUndoActionName == undoSteps.last?.name && announcedRedoActionName == redoSteps.last?.name
        if isKnown { return }
        // The remaining deliveries come first, because their handlers may make, name and undo steps.
        Delivery.completeAll()
        undoSteps.removeDeadEnd()
        redoSteps.removeDeadEnd()
        withKeyValueTransaction {
            announce(!undoSteps.isEmpty, at: \.announcedCanUndo)
            announce(!redoSteps.isEmpty, at: \.announcedCanRedo)
            announce(undoSteps.last?.name, at: \.announcedUndoActionName)
            announce(redoSteps.last?.name, at: \.announcedRedoActionName)
        }
    }

    private func announce<Value: Equatable>(
        _ value: Value, at keyPath: ReferenceWritableKeyPath<KeyValueUndoManager, Value>
    ) {
        if self[keyPath: keyPath] != value { self[keyPath: keyPath] = value }
    }

    /// Drops surplus steps: first those that cannot be undone any more, then the oldest.
    func trim() {
        undoSteps.removeDeadEnd()
        let limit = levelsOfUndo == 0 ? .max : levelsOfUndo
        guard undoSteps.count > limit || undoSteps.count >= searchedCount else { return }
        undoSteps.removeAll { !$0.isAlive }
        undoSteps.removeFirst(max(0, undoSteps.count - limit))
        searchedCount = max(64, undoSteps.count * 2)
    }
}

extension KeyValueUndoManager: _KeyValueNaming {
    /// Records the names of the observable properties.
    public static func _noteNames() {
        for (keyPath, name): (PartialKeyPath<KeyValueUndoManager>, _) in [
            (\.canUndo, "canUndo"), (\.canRedo, "canRedo"), (\.undoActionName, "undoActionName"),
            (\.redoActionName, "redoActionName"),
        ] { PropertyNames.note(keyPath, named: name) }
    }
}

extension [UndoStep] {
    /// Whether there are steps, and all of them have died.
    fileprivate var isDead: Bool { !isEmpty && !reversed().contains(where: \.isAlive) }

    /// The name of the last living step; if no later step has died, the name last delivered to observers.
    fileprivate func actionName(announced: String?) -> String? {
        last?.isAlive ?? true ? announced : last(where: \.isAlive)?.name
    }

    mutating func removeDeadEnd() {
        while let last, !last.isAlive { removeLast() }
    }

    /// Drops the last steps that change nothing.
    mutating func dropVoidEnd() {
        while let last {
            last.dropVoid()
            if last.isAlive { return }
            removeLast()
        }
    }
}
