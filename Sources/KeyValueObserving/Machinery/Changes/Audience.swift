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
        /// Makes its value of the property's, if its path ends there.
        var ending: PathEnding?
    }

    /// The same without references that are counted: the audience's members hold it.
    @safe struct Listener {
        let registration: Unmanaged<Registration>
        let ending: Unmanaged<PathEnding>?
    }

    /// In the order in which they were made.
    private let members: ContiguousArray<Member>
    let listeners: ContiguousArray<Listener>
    /// The paths among them that lead through the property.
    let paths: [ObservedPath]
    /// What they need of the property itself, all together.
    private let needs: KeyValueObservingOptions
    /// Whether somebody is to be told before the change is made.
    let hasPriors: Bool
    /// Whether all paths end at the property.
    private let onlyEndings: Bool

    /// Gathers those who observe the property itself, and those who reach it by paths.
    ///
    /// - Parameters:
    ///   - direct: The registrations on the property itself.
    ///   - needs: What they need, all together.
    ///   - paths: The paths that lead through the property.
    ///   - place: The property.
    convenience init(
        direct: ContiguousArray<Registration>, needs: KeyValueObservingOptions, paths: [ObservedPath],
        at place: PathHook.Place
    ) {
        var members = ContiguousArray(direct.map { Member(registration: $0) })
        var needs = needs
        var onlyEndings = true
        var reached: [ObservedPath] = []
        for path in paths {
            let registrations = path.registrations
            guard !registrations.isEmpty else { continue }
            reached.append(path)
            let ending = path.ending(at: place)
            members += registrations.map { Member(registration: $0, ending: ending) }
            if ending == nil {
                onlyEndings = false
            } else {
                for registration in registrations { needs.formUnion(registration.needs) }
            }
        }
        if !reached.isEmpty { members.sort { $0.registration.id < $1.registration.id } }
        self.init(members, needs: needs, paths: reached, onlyEndings: onlyEndings)
    }

    private init(
        _ members: ContiguousArray<Member>, needs: KeyValueObservingOptions, paths: [ObservedPath], onlyEndings: Bool
    ) {
        self.members = members
        self.paths = paths
        self.needs = needs
        self.onlyEndings = onlyEndings
        hasPriors = members.contains { $0.registration.options.contains(.prior) }
        listeners = ContiguousArray(
            members.map { member in
                unsafe Listener(
                    registration: .passUnretained(member.registration),
                    ending: member.ending.map { unsafe .passUnretained($0) })
            })
    }

    /// Those of them who registered no later than a certain registration.
    func limited(to last: RegistrationID) -> Audience {
        Audience(
            members.filter { $0.registration.id <= last }, needs: needs, paths: paths, onlyEndings: onlyEndings)
    }

    /// Nobody, for a change that turned out to be none.
    static let nobody = Audience([], needs: [], paths: [], onlyEndings: true)

    /// Whether there is nobody.
    var isEmpty: Bool { members.isEmpty }
    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }
    /// Whether the elements that come are to be found after a change of elements.
    var needsNewElements: Bool { needsNew || !paths.isEmpty }
    /// Whether nothing is to be done at a will but to read the old value.
    ///
    /// What changes inside another change that may concern the same paths is not simple, for the other one has to know.
    @usableFromInline var isSimple: Bool {
        !hasPriors && (paths.isEmpty || (onlyEndings && !OpenChange.isAnyOpen))
    }
}
