// How a change of a progress reaches those above it, whose numbers Foundation changes by itself.
#if !canImport(ObjectiveC)
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling

extension NotifyingProgress {
    /// Stands for what unfinished children add to the fraction, which Foundation does not show.
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

    /// Reports that all is read that a text may be made of.
    func accessTexts() {
        _ = fraction
        _ = kind
        _ = userInfo
    }

    /// What the fraction will be when the numbers of this progress are others.
    func fraction(after completed: Int64, of total: Int64) -> Double {
        // Foundation takes these for indeterminate.
        guard completed >= 0, total >= 0, completed > 0 || total > 0 else { return 0 }
        guard total > 0 else { return 1 }
        let (oldCompleted, oldTotal) = (Double(completedUnitCount), Double(totalUnitCount))
        let ofChildren = oldTotal > 0 ? fractionCompleted - oldCompleted / oldTotal : 0
        return (Double(completed) + ofChildren * oldTotal) / Double(total)
    }

    /// Makes a change of this progress, and announces what becomes of those above it.
    ///
    /// - Parameters:
    ///   - fraction: The fraction after the change; nil if it changes nothing above.
    ///   - body: Makes the change.
    func changeAncestors(to fraction: Double?, _ body: () -> Void) {
        guard let fraction, let (parent, portion) = place.parent else { return body() }
        parent.changePart(portion, from: fractionCompleted, to: fraction, body)
    }

    /// Makes a change of a child, and announces what becomes of this progress and those above it.
    ///
    /// Those below are notified before those above. When the child finishes, its part is added to what is completed. Until
    /// then it adds to the fraction alone.
    ///
    /// - Parameters:
    ///   - portion: How much of this progress the child is.
    ///   - old: The fraction of the child.
    ///   - new: The fraction of the child after the change.
    ///   - body: Makes the change.
    func changePart(_ portion: Int64, from old: Double, to new: Double, _ body: () -> Void) {
        // Foundation computes with fractions of integers, and adds the part of a child that is finished with each change.
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

/// Where a progress stands in its tree, which Foundation knows and does not say.
final class ProgressPlace: Sendable {
    private struct State {
        weak var parent: NotifyingProgress?
        var portion: Int64 = 0
        /// What was given to `becomeCurrent`, the last one last.
        var pending: [Int64] = []
    }

    private let state = Guarded(State())

    /// The progress that this one is a part of, and how much of it this one is.
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
