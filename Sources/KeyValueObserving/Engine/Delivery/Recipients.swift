// Who is notified of a change of one property.

/// The registrations that a change of one property concerns.
///
/// They never change; a record makes new ones after registrations have come or gone. So a change takes hold of all of
/// them by taking hold of one object. They also keep the last change that had borrowed them, for the next one.
@usableFromInline
@safe final class Recipients: @unchecked Sendable {
    /// All of them, lent to deliveries, which count no references.
    let registrations: LentRegistrations
    let paths: ContiguousArray<PathRecipients>
    /// What they need of the property itself, all together.
    let needs: KeyValueObservingOptions
    /// Whether some are called before the change too.
    let hasPriors: Bool
    /// Whether no code of others runs before they are called: there are no priors, and no path is to be evaluated.
    private let isSimple: Bool
    /// Whether they all observe the property itself, and none is called before the change.
    let isDirect: Bool
    /// A change that is over, for the next one that borrows the recipients; only who has borrowed them uses it.
    @safe @exclusivity(unchecked) private var lastChange: AnyObject?

    init(direct: RegistrationList, paths: ContiguousArray<PathRecipients>) {
        var members = direct.all.map { (registration: $0, path: -1) }
        for (index, path) in paths.enumerated() {
            members += path.registrations.all.map { ($0, index) }
        }
        if !paths.isEmpty { members.sort { $0.registration.number < $1.registration.number } }
        registrations = LentRegistrations(members)
        self.paths = paths
        let leaves = paths.filter { $0.leaf != nil }
        needs = leaves.reduce(into: direct.needs) { $0.formUnion($1.registrations.needs) }
        hasPriors = members.contains { $0.registration.site.options.contains(.prior) }
        isSimple = !hasPriors && leaves.count == paths.count
        isDirect = isSimple && paths.isEmpty
    }

    /// Those of a change that is only noted: they are not listed.
    ///
    /// - Parameters:
    ///   - needs: What those on the property itself need.
    ///   - paths: Those at paths.
    init(unlisted needs: Needs, paths: ContiguousArray<PathRecipients>) {
        registrations = LentRegistrations([])
        self.paths = paths
        var all = needs
        for path in paths where !path.isBlocked {
            for registration in path.registrations.all { all.add(registration) }
        }
        self.needs = all.values
        hasPriors = all.hasPriors
        isSimple = false
        isDirect = false
    }

    /// What registrations need of a change.
    struct Needs {
        /// The values.
        var values: KeyValueObservingOptions = []
        /// Whether one of them is called before the change too.
        var hasPriors = false

        mutating func add(_ registration: Registration) {
            values.formUnion(registration.site.needs)
            if registration.site.options.contains(.prior) { hasPriors = true }
        }
    }

    deinit {
        registrations.release()
    }

    // MARK: For who has borrowed them

    /// A change that is over, unless somebody else holds it.
    var spareChange: AnyObject? {
        get { isKnownUniquelyReferenced(&lastChange) ? lastChange : nil }
        set { lastChange = newValue }
    }

    // MARK: For everybody

    /// Nobody.
    static let none = Recipients(direct: RegistrationList(), paths: [])

    var isEmpty: Bool { registrations.count == 0 }
    /// The number of the last of them; there must be one.
    var newestNumber: RegistrationNumber { registrations[registrations.count - 1].with { $0.number } }
    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }

    /// Whether nothing is to be done for a change but to make it and to call them.
    ///
    /// Where another change under way concerns one of the paths, that one has to know.
    @inline(__always)
    var areSimple: Bool { isDirect || isSimple && !arePathsEngaged }

    private var arePathsEngaged: Bool { paths.indices.contains { paths[$0].path.isEngaged } }
}
