// Who is to be told of a change of one property.

/// The registrations that a change of one property concerns, as they are at its will.
///
/// It never changes; a table makes a new one when registrations come and go. So a change takes hold of all of them by
/// taking hold of one object.
@usableFromInline
@safe final class Audience: @unchecked Sendable {
    /// A registration that is concerned.
    struct Member {
        let registration: Registration
        /// The path by which it is, unless it is on the property itself.
        var path: ObservedPath?
        /// Makes its value of the property's, if its path ends there.
        var ending: PathEnding?
    }

    /// The same without references that are counted: the audience holds it.
    @safe struct Listener {
        let registration: Unmanaged<Registration>
        var path: Unmanaged<ObservedPath>?
        var ending: Unmanaged<PathEnding>?
    }

    /// Those on the property itself, if nobody reaches it by a path.
    private let direct: RegistrationList
    /// All, in the order in which they were made, if some reach it by paths.
    private let members: ContiguousArray<Member>
    private let listeners: ContiguousArray<Listener>
    /// The paths among them that lead through the property.
    let paths: [ObservedPath]
    /// What they need of the property itself, all together.
    private let needs: KeyValueObservingOptions
    /// Whether somebody is to be told before the change is made.
    let hasPriors: Bool
    /// Whether all paths end at the property.
    private let onlyEndings: Bool
    /// Lends it; held by the table of the object that changes.
    private let lender: Unmanaged<PropertyRecord>?

    /// Gathers those who observe the property itself, and those who reach it by paths.
    ///
    /// - Parameters:
    ///   - direct: The registrations on the property itself.
    ///   - paths: The paths that lead through the property.
    ///   - place: The property.
    ///   - lender: What may lend it to changes.
    convenience init(
        direct: RegistrationList, paths: [ObservedPath], at place: PathHook.Place, lentBy lender: PropertyRecord? = nil
    ) {
        let reached = paths.map { ($0, $0.registrations) }.filter { !$0.1.isEmpty }
        guard !reached.isEmpty else {
            self.init(direct, lentBy: lender)
            return
        }
        var members = ContiguousArray(direct.registrations.map { Member(registration: $0) })
        var needs = members.needs
        var onlyEndings = true
        for (path, registrations) in reached {
            let ending = path.ending(at: place)
            let byPath = ContiguousArray(
                registrations.registrations.map { Member(registration: $0, path: path, ending: ending) })
            members += byPath
            if ending == nil { onlyEndings = false } else { needs.formUnion(byPath.needs) }
        }
        members.sort { $0.registration.id < $1.registration.id }
        self.init(members, needs: needs, paths: reached.map(\.0), onlyEndings: onlyEndings, lentBy: lender)
    }

    /// An audience that nobody reaches by a path.
    private init(_ direct: RegistrationList, lentBy lender: PropertyRecord?) {
        self.direct = direct
        members = []
        listeners = []
        paths = []
        needs = direct.needs
        hasPriors = needs.contains(.prior)
        onlyEndings = true
        unsafe self.lender = lender.map { unsafe .passUnretained($0) }
    }

    private init(
        _ members: ContiguousArray<Member>, needs: KeyValueObservingOptions, paths: [ObservedPath], onlyEndings: Bool,
        lentBy lender: PropertyRecord?
    ) {
        direct = RegistrationList()
        self.members = members
        self.paths = paths
        self.needs = needs
        self.onlyEndings = onlyEndings
        hasPriors = members.contains { $0.registration.options.contains(.prior) }
        listeners = ContiguousArray(
            members.map { member in
                unsafe Listener(
                    registration: .passUnretained(member.registration),
                    path: member.path.map { unsafe .passUnretained($0) },
                    ending: member.ending.map { unsafe .passUnretained($0) })
            })
        unsafe self.lender = lender.map { unsafe .passUnretained($0) }
    }

    /// Those of them who registered no later than a certain registration.
    func limited(to last: RegistrationID) -> Audience {
        guard paths.isEmpty else {
            return Audience(
                members.filter { $0.registration.id <= last }, needs: needs, paths: paths, onlyEndings: onlyEndings,
                lentBy: nil)
        }
        return Audience(direct.limited(to: last), lentBy: nil)
    }

    /// Nobody, for a change that turned out to be none.
    static let nobody = Audience(RegistrationList(), lentBy: nil)

    /// One of them; nil behind the last.
    func listener(at index: Int) -> Listener? {
        if paths.isEmpty { return unsafe direct.unretained(at: index).map { unsafe Listener(registration: $0) } }
        return index < listeners.count ? listeners[index] : nil
    }

    /// One of them, if that is on the property itself.
    func registration(at index: Int) -> Unmanaged<Registration>? {
        if paths.isEmpty { return unsafe direct.unretained(at: index) }
        guard index < listeners.count, unsafe listeners[index].path == nil else { return nil }
        return unsafe listeners[index].registration
    }

    /// Whether there is nobody.
    var isEmpty: Bool { direct.isEmpty && members.isEmpty }
    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }
    /// Whether the elements that come are to be found after a change of elements.
    var needsNewElements: Bool { needsNew || !paths.isEmpty }
    /// Whether nothing is to be done at a will but to read the old value, unless other changes are open.
    var isLendable: Bool { !hasPriors && onlyEndings }
    /// Whether nothing is to be done at a will but to read the old value.
    ///
    /// What changes inside another change that may concern the same paths is not simple, for the other one has to know.
    @usableFromInline var isSimple: Bool { isLendable && (paths.isEmpty || !OpenChange.isAnyOpen) }

    /// Gives a borrowed audience back to its lender, while the object that changed is held.
    static func giveBack(_ audience: Unmanaged<Audience>) {
        let lender = unsafe audience._withUnsafeGuaranteedRef { unsafe $0.lender }
        unsafe lender?._withUnsafeGuaranteedRef { unsafe $0.loan.giveBack(audience) }
    }
}

extension Sequence<Audience.Member> {
    /// What they need together.
    fileprivate var needs: KeyValueObservingOptions {
        reduce(into: []) { unsafe $0.formUnion($1.registration.origin.needs) }
    }
}
