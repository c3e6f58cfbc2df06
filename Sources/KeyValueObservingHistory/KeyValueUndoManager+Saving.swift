// Saving the state with its steps, and restoring them in another process.
import KeyValueObserving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension KeyValueUndoManager {
    /// The tracked state and its steps as JSON, for ``restore(_:)`` and ``replay(_:)``.
    ///
    /// It contains the values of the tracked properties, the steps that can be undone, and those that can be redone.
    /// Objects and properties are written by name. Values and steps of dead objects are left out. The form is a JSON
    /// object:
    ///
    /// - `version`: 2.
    /// - `state`: for each property its `object`, its `name`, and its `value`; of a list with names, those of its objects.
    /// - `elements`: for each object in such a list the list's `object` and `name`, the object's own name as `element`,
    ///   and its encoded form as `value`.
    /// - `undo`, `redo`: the steps, the oldest first. A step has its `actionName`, if it has one, and `properties`: for each
    ///   its `object`, its `name`, the `count` of its elements after the step, if they have an order, and `changes`: `kind`,
    ///   `positions`, `old`, and `new`, as a change encodes them. A step of `redo` has the changes that undoing made.
    ///
    /// - Returns: The JSON, with sorted keys.
    /// - Throws: A ``KeyValueUndoError`` for anything that ``restore(_:)`` or ``replay(_:)`` could not read, such as an
    ///   object without a name or a value that is not equal to the one read back.
    /// - Complexity: O(*n*), where *n* is the number of values in the state and in the steps.
    public func save() throws(KeyValueUndoError) -> Data { try encoded(withState: true) }

    /// The steps as JSON, without the state, for ``replay(_:)``.
    ///
    /// It has the form of ``save()``, and of the state only the objects that steps put into lists. Its size is that of
    /// the changes, so use it to send each step to a process that follows.
    ///
    /// - Returns: The JSON, with sorted keys.
    /// - Throws: A ``KeyValueUndoError``, as ``save()``.
    /// - Complexity: O(*n*), where *n* is the number of values in the steps.
    public func saveSteps() throws(KeyValueUndoError) -> Data { try encoded(withState: false) }

    private func encoded(withState: Bool) throws(KeyValueUndoError) -> Data {
        Delivery.completeAll()
        undoSteps.dropVoidEnd()
        let form = try form(withState: withState)
        let encoder = SavedForm.encoder
        encoder.userInfo[SavedNames.key] = SavedNames(self)
        do {
            return try encoder.encode(form)
        } catch let error as KeyValueUndoError {
            throw error
        } catch {
            throw KeyValueUndoError(code: .notCodable, expected: "the values", found: "\(error)")
        }
    }

    /// Restores the saved state, with the steps that could be undone and redone then.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, \.name, \.tags, named: "person")
    /// person.name = "Ann"
    /// let data = try undoManager.save()
    /// person.name = "Bill"
    /// try undoManager.restore(data)
    /// print(person.name)              // prints "Ann"
    /// try undoManager.undo()          // the name is what it was before "Ann"
    /// ```
    ///
    /// Objects are found by their names; one that belongs in a list and is not there is created. A tracked property
    /// that the data does not have keeps its value. The manager's previous steps are gone. How many steps a limit had
    /// dropped before the data was saved makes no difference.
    ///
    /// All properties are set in one transaction. Properties that handlers set to other values meanwhile are set again.
    ///
    /// - Parameter data: The data that ``save()`` returned, in this process or in another one.
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed. Before the first change, the steps are tried
    ///   on copies of the values to see that they fit the state.
    /// - Complexity: O(*n* × *m*), where *n* is the number of steps and *m* that of the elements of their properties.
    public func restore(_ data: Data) throws(KeyValueUndoError) {
        try checkIsFree()
        Delivery.completeAll()
        let names = SavedNames(self)
        let saved = try decode(data, names)
        if let missing = saved.missing { throw missing }
        for steps in [saved.undo, saved.redo] {
            var copies = saved.values
            for step in steps.reversed() { try step.rehearse(in: &copies) }
        }
        recording.close()
        reversal = Reversal(isUndo: false, recorded: UndoStep())
        saved.values.set(saved.state)
        let isDropped = reversal?.isDropped ?? false
        reversal = nil
        (undoSteps, redoSteps) = isDropped ? ([], []) : (saved.undo, saved.redo)
        trim()
        announce()
        withExtendedLifetime(names) {}
    }

    /// Makes the changes of saved steps again, step by step.
    ///
    /// The model must be as it was before the first of the steps, with objects tracked under the same names: use it to
    /// make another model follow, and ``restore(_:)`` to continue where a program stopped. The changes are redone, as
    /// by ``redo()``, and this manager can undo them. Then the steps that could be redone when they were saved can be
    /// redone.
    ///
    /// - Parameter data: The data that ``save()`` or ``saveSteps()`` returned.
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed. All steps are tried on copies of the values
    ///   before the first change. If a handler makes a step fail nevertheless, by a change that is not recorded, the
    ///   steps before it are undone.
    /// - Complexity: O(*n* × *m*), where *n* is the number of steps and *m* that of the elements of their properties.
    public func replay(_ data: Data) throws(KeyValueUndoError) {
        try checkIsFree()
        Delivery.completeAll()
        let names = SavedNames(self)
        let saved = try decode(data, names)
        let steps: [UndoStep] = saved.undo.reversed()
        var copies = saved.values
        for step in steps { try step.rehearse(in: &copies, of: saved.state) }
        // Elements that were in a list before the first step are in the model; elements inserted by steps may be new.
        for element in saved.state.lazy.flatMap({ $0.elements(in: copies) }) where names.hasMade(element) {
            throw KeyValueUndoError(
                code: .unknownObject, objectType: tracked.object(for: element, type: "").name ?? "")
        }
        for property in saved.state where property.owner.object.map(names.hasMade) == true {
            property.restore(copies)
        }
        copies = ValueCopies()
        for step in steps { step.invert() }
        for step in steps.reversed() { try step.rehearse(in: &copies) }
        recording.close()
        let (undone, count) = (redoSteps, undoSteps.count)
        redoSteps = saved.redo + steps
        do {
            while redoSteps.count > saved.redo.count { try revertLast(isUndo: false) }
        } catch {
            while undoSteps.count > count, (try? revertLast(isUndo: true)) != nil {}
            redoSteps = undone
            announce()
            throw error
        }
        trim()
        announce()
    }

    private func decode(_ data: Data, _ names: SavedNames) throws(KeyValueUndoError) -> SavedForm {
        let decoder = SavedForm.decoder
        decoder.userInfo[SavedNames.key] = names
        do {
            return try decoder.decode(SavedForm.self, from: data)
        } catch let error as KeyValueUndoError {
            throw error
        } catch {
            throw KeyValueUndoError(code: .invalidData, found: "\(error)")
        }
    }
}
