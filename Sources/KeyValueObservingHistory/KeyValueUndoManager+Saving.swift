// Saving steps, and making them again in another process.
import KeyValueObserving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension KeyValueUndoManager {
    /// The steps as JSON, for ``replay(_:)``.
    ///
    /// Saved are the steps that can be undone and those that can be redone, with the names of the objects and the keys
    /// of the properties, not the state of the model, except that of objects that come with the steps. What belongs to dead
    /// objects is left out.
    ///
    /// - Returns: JSON with a version.
    /// - Throws: A ``KeyValueUndoError``: what ``replay(_:)`` could not take, such as an object without a name or a value that
    ///   is not equal to what is read back.
    /// - Complexity: O(*n*), where *n* is the number of values in the steps.
    public func save() throws(KeyValueUndoError) -> Data {
        Delivery.completeAll()
        undoSteps.dropVoidEnd()
        let (undo, redo) = (undoSteps.filter(\.isAlive), redoSteps.filter(\.isAlive))
        let objects = try newObjects(undo: undo, redo: redo)
        let encoder = SavedSteps.encoder
        encoder.userInfo[PropertyLookup.key] = PropertyLookup(self)
        do {
            return try encoder.encode(SavedSteps(undo: undo, redo: redo, objects: objects))
        } catch let error as KeyValueUndoError {
            throw error
        } catch {
            throw KeyValueUndoError(code: .notCodable, expected: "the values", found: "\(error)")
        }
    }

    /// Makes the changes of saved steps again, step by step.
    ///
    /// The model must be as it was before the first of the steps, with objects tracked under the same names. The
    /// changes are redone, as by ``redo()``, and can be undone here. Then the steps that could be redone when they were
    /// saved can be redone.
    ///
    /// - Parameter data: What ``save()`` returned.
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed. All steps are tried on copies of the values
    ///   before the first change. If a handler makes a step fail nevertheless, by a change that is not recorded, the
    ///   steps before it are taken back.
    /// - Complexity: O(*n* × *m*), where *n* is the number of steps and *m* that of the elements of their properties.
    public func replay(_ data: Data) throws(KeyValueUndoError) {
        try checkIsFree()
        Delivery.completeAll()
        let lookup = PropertyLookup(self)
        let saved = try decode(data, lookup)
        let steps: [UndoStep] = saved.undo.reversed()
        // New objects have been made as they were when they were saved.
        let made = Set(lookup.made.keys)
        var copies = ValueCopies()
        for step in steps { try step.rehearse(in: &copies, of: made) }
        for property in steps.flatMap(\.properties) { property.restore(copies) }
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

    private func decode(_ data: Data, _ lookup: PropertyLookup) throws(KeyValueUndoError) -> SavedSteps {
        let decoder = SavedSteps.decoder
        decoder.userInfo[PropertyLookup.key] = lookup
        do {
            return try decoder.decode(SavedSteps.self, from: data)
        } catch let error as KeyValueUndoError {
            throw error
        } catch {
            throw KeyValueUndoError(code: .invalidData, found: "\(error)")
        }
    }
}
