// What observers of the progresses above one that changes get, beside what Foundation says: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 Trees of progress")
struct ProgressTreeTests {
    private let log = Log()

    // MARK: All small trees

    /// A progress, one that is all of it, and one that is a part of that.
    private struct Tree {
        let top: Progress
        let middle: Progress
        let leaf: Progress

        init(_ form: Form, isObservable: Bool) throws {
            (top, middle, leaf) = (
                .discreteProgress(totalUnitCount: 2), .discreteProgress(totalUnitCount: form.total),
                .discreteProgress(totalUnitCount: form.totalOfLeaf)
            )
            leaf.completedUnitCount = form.completedOfLeaf
            if isObservable { _ = try NotifyingProgress.makeObservable(top) }
            top.addChild(middle, withPendingUnitCount: 2)
            middle.addChild(leaf, withPendingUnitCount: form.portion)
        }

        func make(_ change: Change) {
            let progress = change.isOfMiddle ? middle : leaf
            if change.isOfTotal {
                progress.totalUnitCount = change.value
            } else {
                progress.completedUnitCount = change.value
            }
        }

        /// The fraction and the count of the one in the middle, and those of the one above.
        var state: [Double] { [middle, top].flatMap { [$0.fractionCompleted, Double($0.completedUnitCount)] } }
    }

    private struct Form {
        var total: Int64
        var portion: Int64
        var completedOfLeaf: Int64
        var totalOfLeaf: Int64

        static var all: [Form] {
            let numbers = -1...2 as ClosedRange<Int64>
            return numbers.flatMap { total in
                [1, 2].flatMap { portion in
                    numbers.flatMap { completedOfLeaf in
                        numbers.map { totalOfLeaf in
                            Form(
                                total: total, portion: portion, completedOfLeaf: completedOfLeaf,
                                totalOfLeaf: totalOfLeaf)
                        }
                    }
                }
            }
        }

        /// Whether Foundation takes the leaf for finished because it has nothing to do.
        var isLeafDone: Bool { completedOfLeaf > 0 && totalOfLeaf == 0 }
    }

    private struct Change {
        var isOfMiddle: Bool
        var isOfTotal: Bool
        var value: Int64
    }

    @Test(
        "D15 3.5 In all small trees, whatever is completed or becomes a total: those above get what Foundation says",
        arguments: [false, true], [false, true])
    func smallTrees(isOfMiddle: Bool, isOfTotal: Bool) throws {
        for form in Form.all {
            for value in -1...2 as ClosedRange<Int64> {
                let change = Change(isOfMiddle: isOfMiddle, isOfTotal: isOfTotal, value: value)
                let oldTotal = change.isOfMiddle ? form.total : form.totalOfLeaf
                // Foundation ends the program there.
                if change.isOfTotal, change.value == 0, oldTotal > 0 { continue }
                if let problem = try Self.problem(form, change) {
                    Issue.record("\(form), \(change): \(problem)")
                    return
                }
            }
        }
    }

    /// What is wrong with a change of a tree.
    private static func problem(_ form: Form, _ change: Change) throws -> String? {
        let (plain, tree) = (try Tree(form, isObservable: false), try Tree(form, isObservable: true))
        let received = Received(plain.state)
        let tokens = try received.observe(tree.middle, 0) + received.observe(tree.top, 2)
        plain.make(change)
        tree.make(change)
        withExtendedLifetime(tokens) {}
        var state = received.state.withLock { $0 }
        // That such a leaf adds nothing until it has a total is not seen from there.
        if form.isLeafDone, change.isOfTotal, !change.isOfMiddle { state.values[2...] = plain.state[2...] }
        guard state.isChain, state.values == plain.state, tree.state == plain.state else {
            return "received \(state), is \(plain.state)"
        }
        return change.isOfMiddle ? nil : surplus(state.calls, form, tree).map { "\($0): \(state)" }
    }

    /// A call that nothing has given rise to, after a change of the leaf.
    private static func surplus(_ calls: [Int], _ form: Form, _ tree: Tree) -> String? {
        // What a leaf below zero adds to its parent, Foundation does not show.
        let isVisible = form.completedOfLeaf >= 0 || form.totalOfLeaf <= 0
        if isVisible, !tree.leaf.isFinished, calls.contains(1) { return "the leaf has not finished" }
        if form.total <= 0, tree.middle.fractionCompleted == 0, calls.contains(where: { $0 > 1 }) {
            return "the middle one has done nothing of nothing"
        }
        return nil
    }

    /// What observers received last, in the order of `Tree.state`.
    private final class Received: Sendable {
        struct State {
            var values: [Double]
            /// The values that they were called for, one after the other.
            var calls: [Int] = []
            var isChain = true
        }

        let state: Guarded<State>

        init(_ values: [Double]) { state = Guarded(State(values: values)) }

        func observe(_ progress: Progress, _ index: Int) throws -> [KeyValueObservation] {
            let progress = try #require(progress as? NotifyingProgress)
            return [
                progress.observe(\.fractionCompleted, options: [.old, .new]) { [self] _, change in
                    note(index, change.requiredOldValue, change.requiredNewValue)
                },
                progress.observe(\.completedUnitCount, options: [.old, .new]) { [self] _, change in
                    note(index + 1, Double(change.requiredOldValue), Double(change.requiredNewValue))
                },
            ]
        }

        private func note(_ index: Int, _ old: Double, _ new: Double) {
            state.withLock { state in
                if state.values[index] != old { state.isChain = false }
                state.values[index] = new
                state.calls.append(index)
            }
        }
    }

    // MARK: One by one

    private func observe(_ progress: NotifyingProgress) -> [KeyValueObservation] {
        [
            progress.observe(\.fractionCompleted, options: [.old, .new]) { [log] in log.add($1, as: "fraction") },
            progress.observe(\.completedUnitCount, options: [.old, .new]) { [log] in log.add($1, as: "completed") },
        ]
    }

    /// A progress of ten units and a child that is five of them.
    private func parentAndChild(_ total: Int64) throws -> (NotifyingProgress, Progress) {
        let parent = try NotifyingProgress.makeObservable(Progress.discreteProgress(totalUnitCount: 10))
        let child = Progress.discreteProgress(totalUnitCount: total)
        parent.addChild(child, withPendingUnitCount: 5)
        return (parent, child)
    }

    @Test("D15 A child that lacks a billionth has not finished: what its parent has completed is as it was")
    func almostFinished() throws {
        let (parent, child) = try parentAndChild(1_000_000_000)
        let tokens = observe(parent)
        child.completedUnitCount = 999_999_999
        #expect(log.take() == ["fraction 0.0→0.4999999995"])
        child.completedUnitCount = 1_000_000_000
        #expect(log.take() == ["fraction 0.4999999995→0.5", "completed 0→5"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 What no child has taken is completed at the end, and observers above are notified")
    func pending() throws {
        let (parent, child) = try parentAndChild(4)
        let tokens = observe(parent)
        child.becomeCurrent(withPendingUnitCount: 2)
        child.resignCurrent()
        #expect(log.take() == ["fraction 0.0→0.25"])
        child.becomeCurrent(withPendingUnitCount: 2)
        child.resignCurrent()
        #expect(log.take() == ["fraction 0.25→0.5", "completed 0→5"])
        withExtendedLifetime(tokens) {}
    }
}
