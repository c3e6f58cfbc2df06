// The changes between their will and their did on a thread.
import CKeyValueObserving

/// A change between its will and its did, while code of others may run: getters, priors, an access in place.
///
/// The open changes of a thread form a list. Those of sets and accesses in place end in the reverse order of their
/// beginning, those announced by hand in any order. The list serves three rules. A change of a property that is already
/// changing on this thread belongs to that change. What the observers of a path were told last is what every change
/// calls old. And while a property is accessed in place nobody may read it, so a path through it is told of changes
/// inside by the outer change, when the access has ended.
@usableFromInline
final class OpenChange {
    let property: PropertyIdentity
    private let object: AnyObject
    let table: ObservationTable
    /// Who is to be told: registrations that were made before this change began.
    @usableFromInline private(set) var audience: Audience
    private let lastMember: RegistrationID
    /// What the change means to the paths through the property.
    ///
    /// Their old values are what was told last.
    private var paths: [PathChange] = []
    /// Whether the property is being accessed in place.
    @usableFromInline var isAccessed = false
    /// The key path by which the change was announced, if that was by hand.
    let keyPathByHand: AnyKeyPath?
    /// The property's own old value, of a change by hand; others keep it in their frame.
    var oldByHand: AnyValue?
    /// How many changes of the same property were announced by hand inside this one and have not ended.
    var nested = 0
    private var outer: OpenChange?

    /// Puts a change on the list of this thread, until its did.
    @usableFromInline
    convenience init(of property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience) {
        self.init(
            of: property, of: object, in: object.keyValueRegistrar.table(), for: audience, keyPathByHand: nil)
    }

    init(
        of property: PropertyIdentity, of object: AnyObject, in table: ObservationTable, for audience: Audience,
        keyPathByHand: AnyKeyPath?
    ) {
        self.property = property
        self.object = object
        self.table = table
        self.audience = audience
        self.keyPathByHand = keyPathByHand
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
        guard let current = currentAudience, current !== audience else { return }
        audience = current.limited(to: lastMember)
        readOldValues()
    }

    /// Reads the new values of the paths, follows them to where they lead now, and takes the change off the list.
    @usableFromInline
    func did() {
        paths = paths.map { $0.did() }
        takeOffList()
        var open = outer
        while let current = open {
            current.note(told: paths)
            open = current.outer
        }
    }

    /// Who would be told if the change began now.
    private var currentAudience: Audience? {
        guard let keyPathByHand else { return table.audience(of: property) }
        return table.audience(of: property, byHand: keyPathByHand)
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
        first { $0.table === table && $0.property == property } != nil
    }

    /// Whether a property on the way of a path is being accessed in place on this thread.
    private static func isAccessed(_ path: ObservedPath) -> Bool {
        first { $0.isAccessed && $0.audience.paths.contains { $0 === path } } != nil
    }

    static func first(where predicate: (OpenChange) -> Bool) -> OpenChange? {
        var change = innermost
        while let current = change {
            if predicate(current) { return current }
            change = current.outer
        }
        return nil
    }

    /// The list's head.
    ///
    /// A change on the list is retained by whoever will end it.
    private static var innermost: OpenChange? {
        unsafe kvo_open_change().map { unsafe Unmanaged<OpenChange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes this change off the list; it need not be the innermost, for one by hand may have been left open inside.
    private func takeOffList() {
        guard let innermost = Self.innermost, innermost !== self else { return Self.setInnermost(outer) }
        var inner = innermost
        while let next = inner.outer, next !== self { inner = next }
        inner.outer = outer
    }

    private static func setInnermost(_ change: OpenChange?) {
        unsafe kvo_set_open_change(change.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
    }
}
