// The changes between their will and their did on a thread.
import CKeyValueObserving

/// A change between its will and its did, while code of others may run: getters, priors, an access in place.
///
/// The open changes of a thread form a list. It serves three rules. A change of a property that is already changing on
/// this thread belongs to that change. What the observers of a path were told last is what every change calls old. And
/// while a property is accessed in place nobody may read it, so a path through it is told of changes inside by the
/// outer change, when the access has ended.
@usableFromInline
final class OpenChange {
    private let property: PropertyIdentity
    private let object: AnyObject
    private let table: ObservationTable
    /// Who is to be told: registrations that were made before this change began.
    @usableFromInline private(set) var audience: Audience
    private let lastMember: RegistrationID
    /// What the change means to the paths through the property.
    ///
    /// Their old values are what was told last.
    private var paths: [PathChange] = []
    /// Whether the property is being accessed in place.
    @usableFromInline var isAccessed = false
    private let outer: OpenChange?

    /// Puts a change on the list of this thread, until its did.
    ///
    /// Changes end in the reverse order of their beginning.
    @usableFromInline
    init(of property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience) {
        self.property = property
        self.object = object
        table = object.keyValueRegistrar.table()
        self.audience = audience
        lastMember = Registration.newestID
        outer = Self.innermost
        Self.setInnermost(self)
    }

    /// Reads the old values of the paths through the property, and tells those who want to know before.
    ///
    /// - Parameter old: Points to the property's own old value as an optional.
    @usableFromInline
    func will(old: UnsafeRawPointer) {
        readOldValues()
        guard audience.hasPriors else { return }
        unsafe Delivery.run(to: audience, object: object, open: self, isPrior: true, old: old, new: nil)
        // A prior handler may have led a path here that did not come this way before.
        guard let current = table.audience(of: property), current !== audience else { return }
        audience = current.limited(to: lastMember)
        readOldValues()
    }

    /// Reads the new values of the paths, follows them to where they lead now, and takes the change off the list.
    @usableFromInline
    func did() {
        paths = paths.map { $0.did() }
        Self.setInnermost(outer)
        var open = outer
        while let current = open {
            current.note(told: paths)
            open = current.outer
        }
    }

    /// What the change means to one of the paths through the property; nil if the path's root is gone.
    func change(of path: ObservedPath) -> PathChange? {
        paths.first { $0.path === path }
    }

    /// Reads the old values of paths that have none yet.
    private func readOldValues() {
        for path in audience.paths where change(of: path) == nil && !Self.isAccessed(path) {
            var told: AnyValue?
            var open = outer
            while told == nil, let current = open {
                told = current.change(of: path)?.old
                open = current.outer
            }
            if let change = path.will(told: told) { paths.append(change) }
        }
    }

    /// Notes what the observers of this change's paths are about to be told by a change inside.
    private func note(told changes: [PathChange]) {
        for change in changes {
            guard let index = paths.firstIndex(where: { $0.path === change.path }), paths[index].old != nil else {
                continue
            }
            paths[index].old = change.new
        }
    }

    /// Whether a property is changing on this thread.
    static func isOpen(_ property: PropertyIdentity, in table: ObservationTable) -> Bool {
        contains { $0.table === table && $0.property == property }
    }

    /// Whether a property on the way of a path is being accessed in place on this thread.
    private static func isAccessed(_ path: ObservedPath) -> Bool {
        contains { $0.isAccessed && $0.audience.paths.contains { $0 === path } }
    }

    private static func contains(where predicate: (OpenChange) -> Bool) -> Bool {
        var change = innermost
        while let current = change {
            if predicate(current) { return true }
            change = current.outer
        }
        return false
    }

    /// The list's head.
    ///
    /// A change on the list is retained by whoever will end it.
    private static var innermost: OpenChange? {
        unsafe kvo_open_change().map { unsafe Unmanaged<OpenChange>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func setInnermost(_ change: OpenChange?) {
        unsafe kvo_set_open_change(change.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
    }
}
