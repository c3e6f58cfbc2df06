// Who is notified of a change of one property.

/// The registrations at one watch that depends on a property.
final class WatchRecipients {
    let watch: Watch
    /// What it reads: it has not ended when these were found.
    let subject: WatchSubject
    /// Makes the watch's value of the property's, if it ends there.
    let leaf: PathLeaf?
    let registrations: RegistrationList
    /// Whether the watch reads properties that several threads change.
    let isShared: Bool
    /// Whether some of them may need what they were told last.
    private let needsTold: Bool

    init(_ watch: Watch, _ subject: WatchSubject, leaf: PathLeaf?, _ registrations: RegistrationList, isShared: Bool) {
        self.watch = watch
        self.subject = subject
        self.leaf = leaf
        self.registrations = registrations
        self.isShared = isShared
        needsTold = registrations.needTold
    }

    /// What becomes of what they are told by a change of the property at the end, which is kept where it must be.
    func keeping(isKept: Bool) -> Keeping {
        if !needsTold { return .none }
        if !isKept, watch.isReadable {
            watch.isUntold = true
            return .none
        }
        return subject.keeping
    }
}

/// The registrations that a change of one property concerns.
///
/// They never change; a source makes new ones after registrations have come or gone. So a change takes hold of all of
/// them by taking hold of one object.
@usableFromInline
@safe final class Recipients: @unchecked Sendable {
    /// All of them, lent to deliveries, which count no references.
    let registrations: LentRegistrations
    /// Those on the property itself, and at all properties of the object.
    let direct: RegistrationList
    let watches: ContiguousArray<WatchRecipients>
    /// How often somebody had come or gone when these were found.
    let version: UInt32
    /// What they need of the property itself, all together.
    let needs: KeyValueObservingOptions
    /// Whether some are called before the change too.
    let hasPriors: Bool
    /// Whether no code of others runs before they are called: there are no priors, and no watch is to be evaluated.
    @usableFromInline let areSimple: Bool
    /// The property, if somebody observes all of the object.
    let keyPath: AnyKeyPath?

    init(
        direct: RegistrationList, watches: ContiguousArray<WatchRecipients>, at keyPath: AnyKeyPath? = nil,
        version: UInt32 = 0
    ) {
        self.direct = direct
        self.version = version
        var members = direct.all.map { (registration: $0, watch: -1) }
        var needs = direct.needs
        var areLeaves = true
        for (index, member) in watches.enumerated() {
            members += member.registrations.all.map { ($0, index) }
            if let leaf = member.leaf {
                let own = member.registrations.needs
                needs.formUnion(leaf.isCertain ? own : own.intersection(.whole))
            }
            areLeaves = areLeaves && member.leaf?.isCertain ?? false
        }
        if !watches.isEmpty { members.sort { $0.registration.number < $1.registration.number } }
        registrations = LentRegistrations(members)
        self.watches = watches
        self.needs = needs
        self.keyPath = keyPath
        hasPriors = members.contains { $0.registration.site.options.contains(.prior) }
        areSimple = !hasPriors && areLeaves
    }

    deinit { registrations.release() }

    /// Nobody.
    static let none = Recipients(direct: RegistrationList(), watches: [], version: .max)

    var isEmpty: Bool { registrations.count == 0 }
    var newestNumber: RegistrationNumber? {
        isEmpty ? nil : registrations[registrations.count - 1].with { $0.number }
    }
    /// The same for this thread: while it ignores changes, the last values at watches have to be kept.
    @usableFromInline var areSimpleHere: Bool {
        areSimple && (watches.isEmpty || IgnoredRegistrations.innermost == nil)
    }

    /// Notes whom a change passes over; `old` is the property's value before it.
    func miss(_ ignored: Unretained<IgnoredRegistrations>?, upTo newest: RegistrationNumber, _ old: () -> BoxedValue?) {
        if registrations.count == 0
            || ignored == nil && registrations[registrations.count - 1].with({ $0.number }) <= newest
        {
            return
        }
        for index in 0..<registrations.count {
            let isDirect = registrations.watch(at: index) < 0
            registrations[index].with {
                if !$0.takesPart(ignored, upTo: newest) { $0.miss { isDirect ? old() : nil } }
            }
        }
    }

    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }
    /// Whether the whole value is to be read after a change of elements.
    @usableFromInline var needsWhole: Bool { needs.contains(.whole) }
}
