// Announcing a change of a progress to its ancestors, whose numbers Foundation changes by itself.
#if !canImport(ObjectiveC)
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling

extension NotifyingProgress {
    /// Stands for the part of the fraction that unfinished children add, which Foundation does not show.
    var partOfChildren: Double {
        accessValue(for: \.partOfChildren)
        return fractionCompleted
    }

    var place: ProgressPlace { companion { ProgressPlace() } }

    /// Reports that the numbers of this progress are read.
    func accessUnits() {
        _ = completedUnitCount
        _ = totalUnitCount
    }

    /// Reports that every property that a text may be made of is read.
    func accessTexts() {
        _ = fraction
        _ = kind
        _ = userInfo
    }

    /// The fraction for other numbers of this progress.
    func fraction(after completed: Int64, of total: Int64) -> Double {
        // Foundation takes these for indeterminate.
        guard completed >= 0, total >= 0, completed > 0 || total > 0 else { return 0 }
        guard total > 0 else { return 1 }
        let (oldCompleted, oldTotal) = (Double(completedUnitCount), Double(totalUnitCount))
        let ofChildren = oldTotal > 0 ? fractionCompleted - oldCompleted / oldTotal : 0
        return (Double(completed) + ofChildren * oldTotal) / Double(total)
    }

    /// Makes a change of this progress, and announces the changes of its ancestors.
    ///
    /// - Parameters:
    ///   - fraction: The fraction after the change; nil if no ancestor changes.
    ///   - body: Makes the change.
    func changeAncestors(to fraction: Double?, _ body: () -> Void) {
        guard let fraction, let (parent, portion) = place.parent else { return body() }
        parent.changePart(portion, from: fractionCompleted, to: fraction, body)
    }

    /// Makes a change of a child, and announces the changes of this progress and its ancestors.
    ///
    /// Observers of a child are notified before those of its parent. When the child finishes, its part is added to the
    /// completed units. Until then, it adds to the fraction alone.
    ///
    /// - Parameters:
    ///   - portion: How much of this progress the child is.
    ///   - old: The fraction of the child.
    ///   - new: The fraction of the child after the change.
    ///   - body: Makes the change.
    func changePart(_ portion: Int64, from old: Double, to new: Double, _ body: () -> Void) {
        // Foundation computes with fractions of integers, and adds the part of a finished child again with each change.
        let isFinished = new > 1 - 1e-9
        guard new != old || isFinished else { return body() }
        let total = totalUnitCount
        let share = total > 0 ? Double(portion) / Double(total) : 0
        let fraction = fractionCompleted + (new - old) * share
        changeAncestors(to: fraction) {
            if isFinished {
                changeValue(for: \.completedUnitCount, body)
            } else {
                changeValue(for: \.partOfChildren, body)
            }
        }
    }
}

/// The place of a progress in its tree, which Foundation does not show.
final class ProgressPlace: Sendable {
    private struct State {
        weak var parent: NotifyingProgress?
        var portion: Int64 = 0
        /// The unit counts passed to `becomeCurrent`, the latest last.
        var pending: [Int64] = []
    }

    private let state = Guarded(State())

    /// The parent of this progress, and this progress's portion of it.
    var parent: (NotifyingProgress, portion: Int64)? {
        state.withLock { state in state.parent.map { ($0, state.portion) } }
    }

    func set(parent: NotifyingProgress, portion: Int64) {
        state.withLock { state in
            state.parent = parent
            state.portion = portion
        }
    }

    func begin(pending count: Int64) { state.withLock { $0.pending.append(count) } }

    func endPending() -> Int64 { state.withLock { $0.pending.popLast() ?? 0 } }
}
#endif
