// Progress, and what observers of those above one that changes get beside what Foundation says: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 Progress", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct ProgressTests {
    private let kept = Kept()
    private let progress = Progress(totalUnitCount: 10)
    private let log = Log()

    private func notifying() throws -> NotifyingProgress { try NotifyingProgress.makeObservable(progress) }

    /// Observes the fraction of a progress.
    private func fractions(_ progress: NotifyingProgress, _ name: String? = nil) -> KeyValueObservation {
        progress.observe(\.fractionCompleted, options: [.old, .new]) { [log] in log.add($1, as: name) }
    }

    @Test("D15 15.4 Counts, in place too, with what depends on them")
    func counts() throws {
        let notifying = try notifying()
        let log = log
        [
            notifying.observe(\.completedUnitCount, options: [.old, .new]) { log.add($1, as: "completed") },
            notifying.observe(\.totalUnitCount, options: [.old, .new]) { log.add($1, as: "total") },
            notifying.observe(\.isFinished, options: [.old, .new, .distinct]) { log.add($1, as: "finished") },
            notifying.observe(\.isIndeterminate, options: [.old, .new, .distinct]) { log.add($1, as: "indeterminate") },
            fractions(notifying, "fraction"),
        ].store(in: kept)
        progress.completedUnitCount += 5
        #expect(log.take() == ["completed 0→5", "fraction 0.0→0.5"])
        progress.totalUnitCount = 5
        #expect(log.take() == ["total 10→5", "finished false→true", "fraction 0.5→1.0"])
        progress.totalUnitCount = -1
        #expect(log.take() == ["total 5→-1", "finished true→false", "indeterminate false→true", "fraction 1.0→0.0"])
    }

    @Test("D15 Cancelling, pausing and resuming, with the children; and what says whether one can")
    func cancelling() throws {
        let notifying = try notifying()
        let child = Progress(totalUnitCount: 1)
        notifying.addChild(child, withPendingUnitCount: 1)
        let observedChild = try #require(child as? NotifyingProgress)
        let log = log
        [
            notifying.observe(\.isCancelled, options: [.old, .new]) { log.add($1, as: "cancelled") },
            notifying.observe(\.isPaused, options: [.old, .new]) { log.add($1, as: "paused") },
            notifying.observe(\.isCancellable, options: [.old, .new]) { log.add($1, as: "cancellable") },
            notifying.observe(\.isPausable, options: [.old, .new]) { log.add($1, as: "pausable") },
            observedChild.observe(\.isCancelled, options: [.old, .new]) { log.add($1, as: "child cancelled") },
            observedChild.observe(\.isPaused, options: [.old, .new]) { log.add($1, as: "child paused") },
        ].store(in: kept)
        progress.pause()
        progress.resume()
        #expect(
            log.take() == [
                "paused false→true", "child paused false→true", "paused true→false", "child paused true→false",
            ])
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancel()
        #expect(
            log.take() == [
                "cancellable false→true", "pausable false→true", "cancelled false→true", "child cancelled false→true",
            ])
    }

    @Test("D15 Kind, information and the texts, which are empty on Linux")
    func texts() throws {
        let notifying = try notifying()
        let log = log
        [
            notifying.observe(\.kind, options: .old) {
                log.add("kind \($0.kind?.rawValue == "NSProgressKindFile") \($1.oldValue! == nil)")
            },
            notifying.observe(\.userInfo) { _, _ in log.add("information") },
            notifying.observe(\.localizedDescription) { _, _ in log.add("description") },
            notifying.observe(\.localizedAdditionalDescription) { _, _ in log.add("more") },
        ].store(in: kept)
        progress.kind = .file
        #expect(log.take() == ["kind true true", "description", "more"])
        progress.setUserInfoObject(3, forKey: .fileTotalCountKey)
        #expect(log.take() == ["information", "description", "more"])
        progress.completedUnitCount = 1
        #expect(log.take() == ["description", "more"])
    }

    @Test("D15 Implicit children: those that are made while a progress is current")
    func implicitChildren() throws {
        let notifying = try notifying()
        fractions(notifying).store(in: kept)
        progress.becomeCurrent(withPendingUnitCount: 5)
        let child = Progress(totalUnitCount: 2)
        progress.resignCurrent()
        #expect(child is NotifyingProgress && log.take() == ["0.0→0.0"])
        child.completedUnitCount = 1
        #expect(log.take() == ["0.0→0.25"])
        progress.becomeCurrent(withPendingUnitCount: 5)
        progress.resignCurrent()
        #expect(log.take() == ["0.25→0.75"])
    }

    @Test("D15 15.4 Paths to the fraction and getters that read it follow it by its other name, not by Foundation's")
    func paths() throws {
        let job = Job(try notifying())
        let log = log
        [
            job.observe(\.progress?.fraction, options: [.old, .new]) { log.add($1, as: "path") },
            job.observe(\.progress?.fractionCompleted, options: [.old, .new]) { log.add($1, as: "not seen") },
            job.observe(\.percent, options: [.old, .new]) { log.add($1, as: "percent") },
        ].store(in: kept)
        progress.completedUnitCount = 1
        #expect(log.take() == ["path 0.0→0.1", "percent 0→10"])
        job.progress = nil
        #expect(log.take() == ["path 0.1→nil", "not seen 0.0→nil", "percent 10→0"])
        progress.completedUnitCount = 2
        #expect(log.take() == [])
    }

    @Test("D15 15.4 Not seen: children that were there before, and children of classes of their own")
    func unseen() throws {
        let early = Progress(totalUnitCount: 1)
        progress.addChild(early, withPendingUnitCount: 5)
        let notifying = try notifying()
        let own = OwnProgress(totalUnitCount: 1)
        progress.addChild(own, withPendingUnitCount: 5)
        fractions(notifying).store(in: kept)
        early.completedUnitCount = 1
        own.completedUnitCount = 1
        #expect(log.take() == [] && notifying.fractionCompleted == 1)
    }

    @Test("15.3 What lies beside a tree ends with it, and no child keeps its parent alive")
    func ends() throws {
        let child = Progress(totalUnitCount: 1)
        weak var parent: NotifyingProgress?
        try {
            let progress = try NotifyingProgress.makeObservable(Progress(totalUnitCount: 1))
            progress.addChild(child, withPendingUnitCount: 1)
            parent = progress
        }()
        #expect(parent == nil)
        child.completedUnitCount = 1
        #expect(child.isFinished)
    }
}

private final class Job: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var progress: NotifyingProgress?
    var percent: Int { Int(100 * (progress?.fraction ?? 0)) }

    init(_ progress: NotifyingProgress) { self.progress = progress }
}

private final class OwnProgress: Progress, @unchecked Sendable {}

@Suite("D15 Trees of progress", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct ProgressTreeTests {
    private let kept = Kept()
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
        let numbers = -1...2 as ClosedRange<Int64>
        for total in numbers {
            for portion in [1, 2] as [Int64] {
                for completedOfLeaf in numbers {
                    for totalOfLeaf in numbers {
                        let form = Form(
                            total: total, portion: portion, completedOfLeaf: completedOfLeaf, totalOfLeaf: totalOfLeaf)
                        for value in numbers {
                            let change = Change(isOfMiddle: isOfMiddle, isOfTotal: isOfTotal, value: value)
                            // Foundation ends the program there.
                            if isOfTotal, value == 0, isOfMiddle ? total > 0 : totalOfLeaf > 0 { continue }
                            let problem = try Self.problem(form, change)
                            try #require(problem == nil, "\(form), \(change)")
                        }
                    }
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
        observe(parent).store(in: kept)
        child.completedUnitCount = 999_999_999
        #expect(log.take() == ["fraction 0.0→0.4999999995"])
        child.completedUnitCount = 1_000_000_000
        #expect(log.take() == ["fraction 0.4999999995→0.5", "completed 0→5"])
    }

    @Test("D15 Units without a child are completed at the end, and observers of ancestors are notified")
    func pending() throws {
        let (parent, child) = try parentAndChild(4)
        observe(parent).store(in: kept)
        for told in [["fraction 0.0→0.25"], ["fraction 0.25→0.5", "completed 0→5"]] {
            child.becomeCurrent(withPendingUnitCount: 2)
            child.resignCurrent()
            #expect(log.take() == told)
        }
    }
}
