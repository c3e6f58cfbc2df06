// Changes that follow one another quickly, as those of typing do.
import KeyValueObserving

/// A step that takes further changes of the property it began with, for a time.
struct Typing {
    weak var step: UndoStep?
    let property: ObjectIdentifier
    var lastChange: Duration
}

extension KeyValueUndoManager {
    /// The last step, if a change is to be joined to it.
    ///
    /// - Parameters:
    ///   - property: The property that changed first in its scope.
    ///   - scope: The scope.
    ///   - change: The outermost change.
    /// - Returns: The step.
    func stepOfTyping(
        _ property: some AnyTrackedProperty, in scope: Recording.Scope, _ change: OutermostChange
    ) -> UndoStep? {
        guard let span = property.coalescing, let typing, let step = typing.step, step === undoSteps.last,
            typing.property == ObjectIdentifier(property), !change.isTransaction, case .change = scope,
            recording.isUnnamed(scope)
        else { return nil }
        let time = now()
        guard time - typing.lastChange <= span else { return nil }
        self.typing?.lastChange = time
        return step
    }

    /// Notes that a step may take further changes.
    func beginTyping(_ property: some AnyTrackedProperty, _ step: UndoStep) {
        typing =
            property.coalescing == nil
            ? nil : Typing(step: step, property: ObjectIdentifier(property), lastChange: now())
    }
}
