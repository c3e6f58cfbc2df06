// The changes between their will and their did on a thread.
import CKeyValueObserving

/// A change between its will and its did, while code of others runs: priors, an access in place.
///
/// The open changes of a thread form a list. It serves two rules: a change of a property that is already changing on
/// this thread belongs to that change, and what a path was told by a change inside is what the outer change calls old.
final class OpenChange {
    private let table: ObservationTable
    private let property: PropertyIdentity
    private let paths: [ObservedPath]
    /// The new values that changes inside this one told observers of the same paths, the latest of each path.
    private var told: [(path: ObservedPath, value: AnyValue)] = []
    private let outer: OpenChange?

    /// Puts a change on the list of this thread, until ``close()``.
    init(of table: ObservationTable, _ property: PropertyIdentity, reaching paths: [ObservedPath]) {
        self.table = table
        self.property = property
        self.paths = paths
        outer = Self.innermost
        Self.setInnermost(self)
    }

    /// Takes the change off the list. Changes end in the reverse order of their beginning.
    func close() {
        Self.setInnermost(outer)
    }

    /// Whether the property is changing on this thread.
    static func isOpen(_ table: ObservationTable, _ property: PropertyIdentity) -> Bool {
        var change = innermost
        while let current = change {
            if current.table === table, current.property == property { return true }
            change = current.outer
        }
        return false
    }

    /// Notes that the observers of `changes` are about to be told their new values.
    static func tell(_ changes: [PathChange]) {
        var open = innermost
        while let current = open {
            for change in changes {
                guard let value = change.new, current.paths.contains(where: { $0 === change.path }) else { continue }
                current.told.removeAll { $0.path === change.path }
                current.told.append((change.path, value))
            }
            open = current.outer
        }
    }

    /// What the observers of `path` were told since this change began.
    func lastTold(of path: ObservedPath) -> AnyValue? {
        told.first { $0.path === path }?.value
    }

    /// The list's head. A change on the list is retained by whoever will close it.
    private static var innermost: OpenChange? {
        unsafe kvo_open_change().map { unsafe Unmanaged<OpenChange>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func setInnermost(_ change: OpenChange?) {
        unsafe kvo_set_open_change(change.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
    }
}
