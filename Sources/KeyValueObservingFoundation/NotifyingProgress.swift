// Observing progress that Foundation or other libraries report.
#if !canImport(ObjectiveC)
public import Foundation
import KeyValueObserving
public import KeyValueObservingSwizzling

/// A `Progress` whose changes can be observed.
///
/// ```swift
/// import Foundation
/// import KeyValueObservingFoundation
///
/// var progress = Progress(totalUnitCount: 10)         // from anywhere
/// let notifying = try NotifyingProgress.makeObservable(&progress)
/// let token = notifying.observe(\.fractionCompleted, options: .new) { print("\($1.requiredNewValue)") }
/// progress.completedUnitCount = 5                     // prints "0.5"
/// ```
///
/// You can observe `completedUnitCount`, `totalUnitCount`, `fractionCompleted`, `isFinished`, `isIndeterminate`,
/// `isCancelled`, `isPaused`, `isCancellable`, `isPausable`, `kind`, `userInfo` and the localized texts, which are
/// empty on Linux.
///
/// ### Children
///
/// A child becomes observable, too, when you add it with `addChild` or while its parent is current. Its progress
/// changes the fraction of each ancestor. A child added before the parent became observable does not report to it, nor
/// does a child of another subclass of `Progress`. The units assigned to children must not exceed the total; otherwise
/// Foundation's counts exceed it, too, and some changes are not seen.
///
/// `isCancelled` and `isPaused` of children follow those of their parent.
///
/// ### In getters and behind paths
///
/// `fractionCompleted` cannot be overridden. You can observe it on the progress itself. A getter that reads it, or a
/// path that ends at it, does not follow it; use ``fraction`` there, which has the same value.
///
/// ### Threads
///
/// A `Progress` of Foundation on Linux has no lock. Change one tree on one thread at a time.
public final class NotifyingProgress: Progress, NotifyingSubclass, @unchecked Sendable {
    /// The number of completed units.
    ///
    /// When a child finishes, its part is added.
    public override var completedUnitCount: Int64 {
        get {
            accessValue(for: \.completedUnitCount)
            return super.completedUnitCount
        }
        set {
            // An equal count changes no ancestor.
            let fraction =
                newValue == super.completedUnitCount ? nil : fraction(after: newValue, of: super.totalUnitCount)
            changeAncestors(to: fraction) {
                changeValue(for: \.completedUnitCount) { super.completedUnitCount = newValue }
            }
        }
    }

    /// The total number of units.
    public override var totalUnitCount: Int64 {
        get {
            accessValue(for: \.totalUnitCount)
            return super.totalUnitCount
        }
        set {
            let fraction =
                newValue == super.totalUnitCount ? nil : fraction(after: super.completedUnitCount, of: newValue)
            changeAncestors(to: fraction) {
                changeValue(for: \.totalUnitCount) { super.totalUnitCount = newValue }
            }
        }
    }

    /// The value of `fractionCompleted`, for getters and paths to follow.
    public var fraction: Double {
        accessUnits()
        _ = partOfChildren
        return fractionCompleted
    }

    /// Whether the work is finished.
    public override var isFinished: Bool {
        accessUnits()
        return super.isFinished
    }

    /// Whether the total is unknown.
    public override var isIndeterminate: Bool {
        accessUnits()
        return super.isIndeterminate
    }

    /// Whether the work is canceled.
    public override var isCancelled: Bool {
        get {
            accessValue(for: \.isCancelled)
            return super.isCancelled
        }
        set { changeValue(for: \.isCancelled) { super.isCancelled = newValue } }
    }

    /// Whether the work is paused.
    public override var isPaused: Bool {
        get {
            accessValue(for: \.isPaused)
            return super.isPaused
        }
        set { changeValue(for: \.isPaused) { super.isPaused = newValue } }
    }

    /// Whether the work can be canceled.
    public override var isCancellable: Bool {
        get {
            accessValue(for: \.isCancellable)
            return super.isCancellable
        }
        set { changeValue(for: \.isCancellable) { super.isCancellable = newValue } }
    }

    /// Whether the work can be paused.
    public override var isPausable: Bool {
        get {
            accessValue(for: \.isPausable)
            return super.isPausable
        }
        set { changeValue(for: \.isPausable) { super.isPausable = newValue } }
    }

    /// The kind of the work.
    public override var kind: ProgressKind? {
        get {
            accessValue(for: \.kind)
            return super.kind
        }
        set { changeValue(for: \.kind) { super.kind = newValue } }
    }

    /// Further information about the work.
    public override var userInfo: [ProgressUserInfoKey: Any] {
        accessValue(for: \.userInfo)
        return super.userInfo
    }

    /// Adds further information under a key; nil removes it.
    public override func setUserInfoObject(_ objectOrNil: Any?, forKey key: ProgressUserInfoKey) {
        changeValue(for: \.userInfo) { super.setUserInfoObject(objectOrNil, forKey: key) }
    }

    /// A text about the work; empty on Linux.
    public override var localizedDescription: String! {
        accessTexts()
        return super.localizedDescription
    }

    /// A more specific text; empty on Linux.
    public override var localizedAdditionalDescription: String! {
        accessTexts()
        return super.localizedAdditionalDescription
    }

    /// Adds a child, which becomes observable and a part of the fraction.
    public override func addChild(_ child: Progress, withPendingUnitCount inUnitCount: Int64) {
        // A child of a subclass of its own cannot become observable.
        let place = (try? NotifyingProgress.makeObservable(child))?.place
        place?.set(parent: self, portion: inUnitCount)
        changePart(inUnitCount, from: 0, to: child.fractionCompleted) {
            super.addChild(child, withPendingUnitCount: inUnitCount)
        }
    }

    /// Makes this progress current, so that new ones on the thread become its children.
    @available(*, noasync)
    public override func becomeCurrent(withPendingUnitCount unitCount: Int64) {
        place.begin(pending: unitCount)
        super.becomeCurrent(withPendingUnitCount: unitCount)
    }

    /// Makes this progress no longer current, and completes the pending units unless a child has them.
    ///
    /// Only Foundation knows whether a child has them, so observers of `completedUnitCount` are notified in either
    /// case.
    @available(*, noasync)
    public override func resignCurrent() {
        let fraction = fraction(after: super.completedUnitCount + place.endPending(), of: super.totalUnitCount)
        changeAncestors(to: fraction) {
            changeValue(for: \.completedUnitCount) { super.resignCurrent() }
        }
    }

    /// Declares the dependencies of `fractionCompleted`, which the library cannot find because its getter is
    /// Foundation's.
    public static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        guard keyPath == \NotifyingProgress.fractionCompleted else { return [] }
        return [
            \NotifyingProgress.completedUnitCount, \NotifyingProgress.totalUnitCount,
            \NotifyingProgress.partOfChildren,
        ]
    }
}
#endif
