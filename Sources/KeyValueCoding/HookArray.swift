// An array that a class keeps behind its hooks, for a view.
import KeyValueObserving

/// An array that a class keeps for a key it has no property for, by its hooks, which may throw.
///
/// A call of the view is one step. What it changes is gathered, and handed to the class once, at the step's end. If a
/// reading throws, the error is reported and the step changes nothing; if the writing throws, the error is reported and
/// the class has kept what it had. Where a value must be returned though it could not be read, it is the one known last.
final class HookArray<Object: KeyValueCodable>: ArrayKeeper {
    private let object: Object
    private let key: String
    /// What was read or written last, by whichever of the threads that read at once.
    private let known: Guarded<[Any]>
    /// The call of the view that is being made; only one at a time may change the array.
    private var step: Step?

    private struct Step {
        /// How many calls are within each other: one method of a view may call another.
        var depth = 1
        /// The array with what the step changed so far.
        var changed: [Any]?
        /// Whether a reading threw.
        var isFailed = false
    }

    init(_ object: Object, key: String, known: [Any]) {
        self.object = object
        self.key = key
        self.known = Guarded(known)
    }

    var value: [Any] {
        get { step?.changed ?? read() ?? known.withLock { $0 } }
        set {
            if step == nil { write(newValue) } else { step?.changed = newValue }
        }
        _modify {
            let isReadable = beginStep()
            var value = step?.changed ?? known.withLock { $0 }
            // An access that throws changes the array all the same.
            defer {
                if isReadable {
                    step?.changed = value
                    endStep()
                }
            }
            yield &value
        }
    }

    var name: String { "\(key) of a \(TypeName.of(object))" }

    var current: [Any] { Tracking.suspended { value } }

    func change(_ apply: (inout [Any]) -> Void) {
        Tracking.suspended {
            guard var array = step?.changed ?? read() else { return }
            step?.changed = nil
            apply(&array)
            step?.changed = array
        }
    }

    func beginStep() -> Bool {
        if step != nil {
            step?.depth += 1
            return true
        }
        // What waits to be delivered may change the array.
        Delivery.completeAll()
        guard Tracking.suspended({ read() }) != nil else { return false }
        step = Step()
        return true
    }

    func endStep() {
        guard let ended = step else { return }
        guard ended.depth == 1 else {
            step?.depth -= 1
            return
        }
        // Observers are called while the array is written, and may use this view.
        step = nil
        if !ended.isFailed, let changed = ended.changed { write(changed) }
    }

    /// The array as the class gives it now; nil, and the error is reported, if it cannot be read.
    private func read() -> [Any]? {
        do {
            let value = flattened(try object.value(forUndefinedKey: key))
            guard let array = value as? [Any] else {
                throw KeyValueCodingError.notAnArray(at: key, of: type(of: object), given: value)
            }
            know(array)
            return array
        } catch {
            let isReported = step?.isFailed ?? false
            step?.isFailed = true
            if !isReported { KeyValueDiagnostics.report(error, key: key, of: object) }
            return nil
        }
    }

    /// Hands the class another array to keep; that notifies whoever observes what it keeps.
    private func write(_ array: [Any]) {
        do {
            try Tracking.suspended { Result { try object.setValue(array, forUndefinedKey: key) } }.get()
            know(array)
        } catch {
            KeyValueDiagnostics.report(error, key: key, of: object, as: .invalidValue)
        }
    }

    private func know(_ array: [Any]) {
        // What was known before is released without the lock.
        let last = known.withLock { known in
            defer { known = array }
            return known
        }
        withExtendedLifetime(last) {}
    }
}
