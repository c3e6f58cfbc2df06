// Progress: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 Progress")
struct ProgressTests {
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
        let tokens = [
            notifying.observe(\.completedUnitCount, options: [.old, .new]) { log.add($1, as: "completed") },
            notifying.observe(\.totalUnitCount, options: [.old, .new]) { log.add($1, as: "total") },
            notifying.observe(\.isFinished, options: [.old, .new, .distinct]) {
                log.add($1, as: "finished")
            },
            notifying.observe(\.isIndeterminate, options: [.old, .new, .distinct]) {
                log.add($1, as: "indeterminate")
            },
            fractions(notifying, "fraction"),
        ]
        progress.completedUnitCount += 5
        #expect(log.take() == ["completed 0→5", "fraction 0.0→0.5"])
        progress.totalUnitCount = 5
        #expect(log.take() == ["total 10→5", "finished false→true", "fraction 0.5→1.0"])
        progress.totalUnitCount = -1
        #expect(log.take() == ["total 5→-1", "finished true→false", "indeterminate false→true", "fraction 1.0→0.0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Cancelling, pausing and resuming, with the children; and what says whether one can")
    func cancelling() throws {
        let notifying = try notifying()
        let child = Progress(totalUnitCount: 1)
        notifying.addChild(child, withPendingUnitCount: 1)
        let observedChild = try #require(child as? NotifyingProgress)
        let log = log
        let tokens = [
            notifying.observe(\.isCancelled, options: [.old, .new]) { log.add($1, as: "cancelled") },
            notifying.observe(\.isPaused, options: [.old, .new]) { log.add($1, as: "paused") },
            notifying.observe(\.isCancellable, options: [.old, .new]) { log.add($1, as: "cancellable") },
            notifying.observe(\.isPausable, options: [.old, .new]) { log.add($1, as: "pausable") },
            observedChild.observe(\.isCancelled, options: [.old, .new]) { log.add($1, as: "child cancelled") },
            observedChild.observe(\.isPaused, options: [.old, .new]) { log.add($1, as: "child paused") },
        ]
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
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Kind, information and the texts, which are empty on Linux")
    func texts() throws {
        let notifying = try notifying()
        let log = log
        let tokens = [
            notifying.observe(\.kind, options: .old) {
                log.add("kind \($0.kind?.rawValue == "NSProgressKindFile") \($1.oldValue! == nil)")
            },
            notifying.observe(\.userInfo) { _, _ in log.add("information") },
            notifying.observe(\.localizedDescription) { _, _ in log.add("description") },
            notifying.observe(\.localizedAdditionalDescription) { _, _ in log.add("more") },
        ]
        progress.kind = .file
        #expect(log.take() == ["kind true true", "description", "more"])
        progress.setUserInfoObject(3, forKey: .fileTotalCountKey)
        #expect(log.take() == ["information", "description", "more"])
        progress.completedUnitCount = 1
        #expect(log.take() == ["description", "more"])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Three levels: each progress above notifies, and one that finishes by its children completes its parent")
    func levels() throws {
        let notifying = try notifying()
        let (middle, leaf) = (Progress(totalUnitCount: 2), Progress(totalUnitCount: 3))
        progress.addChild(middle, withPendingUnitCount: 10)
        middle.addChild(leaf, withPendingUnitCount: 2)
        let log = log
        let tokens = [
            fractions(notifying, "top"),
            try fractions(#require(middle as? NotifyingProgress), "middle"),
            notifying.observe(\.completedUnitCount, options: [.old, .new]) { log.add($1, as: "completed") },
            notifying.observe(\.isFinished, options: [.old, .new]) { log.add($1, as: "finished") },
        ]
        leaf.completedUnitCount = 1
        leaf.completedUnitCount = 2
        #expect(
            log.take() == [
                "middle 0.0→0.3333333333333333", "top 0.0→0.3333333333333333",
                "middle 0.3333333333333333→0.6666666666666666", "top 0.3333333333333333→0.6666666666666666",
            ])
        leaf.completedUnitCount = 3
        #expect(
            log.take() == [
                "middle 0.6666666666666666→1.0", "top 0.6666666666666666→1.0", "completed 0→10", "finished false→true",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 Implicit children: those that are made while a progress is current")
    func implicitChildren() throws {
        let notifying = try notifying()
        let log = log
        let tokens = [fractions(notifying)]
        progress.becomeCurrent(withPendingUnitCount: 5)
        let child = Progress(totalUnitCount: 2)
        progress.resignCurrent()
        #expect(child is NotifyingProgress && log.take() == ["0.0→0.0"])
        child.completedUnitCount = 1
        #expect(log.take() == ["0.0→0.25"])
        progress.becomeCurrent(withPendingUnitCount: 5)
        progress.resignCurrent()
        #expect(log.take() == ["0.25→0.75"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "D15 15.4 Paths to the fraction and getters that read it follow it by its other name, and not by Foundation's")
    func paths() throws {
        let job = Job(try notifying())
        let log = log
        let tokens = [
            job.observe(\.progress?.fraction, options: [.old, .new]) { log.add($1, as: "path") },
            job.observe(\.progress?.fractionCompleted, options: [.old, .new]) { log.add($1, as: "not seen") },
            job.observe(\.percent, options: [.old, .new]) { log.add($1, as: "percent") },
        ]
        progress.completedUnitCount = 1
        #expect(log.take() == ["path 0.0→0.1", "percent 0→10"])
        job.progress = nil
        #expect(log.take() == ["path 0.1→nil", "not seen 0.0→nil", "percent 10→0"])
        progress.completedUnitCount = 2
        #expect(log.take() == [])
        withExtendedLifetime(tokens) {}
    }

    @Test("D15 15.4 Not seen: children that were there before, and children of classes of their own")
    func unseen() throws {
        let early = Progress(totalUnitCount: 1)
        progress.addChild(early, withPendingUnitCount: 5)
        let notifying = try notifying()
        let own = OwnProgress(totalUnitCount: 1)
        progress.addChild(own, withPendingUnitCount: 5)
        let token = fractions(notifying)
        early.completedUnitCount = 1
        own.completedUnitCount = 1
        #expect(log.take() == [] && notifying.fractionCompleted == 1)
        withExtendedLifetime(token) {}
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
