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

    /// How a registration is concerned, without references that are counted: the audience holds them.
    @safe struct Way {
        let path: Unmanaged<ObservedPath>?
        let ending: Unmanaged<PathEnding>?
    }

    /// Those on the property itself, if nobody reaches it by a path.
    private let direct: RegistrationList
    /// All, in the order in which they were made, if some reach it by paths.
    private let members: ContiguousArray<Member>
    /// How many they are.
    let count: Int
    /// The first of them all, in the order in which they were made; not counted, for the audience holds them.
    let registrations: UnsafeMutablePointer<Unmanaged<Registration>>
    /// Room for one, who is usually alone.
    private var room: Unmanaged<Registration>?
    /// In what way each is concerned, if some reach the property by paths.
    let ways: UnsafeMutablePointer<Way>?
    /// The paths among them that lead through the property.
    let paths: [ObservedPath]
    /// What they need of the property itself, all together.
    private let needs: KeyValueObservingOptions
    /// Whether somebody is to be told before the change is made.
    let hasPriors: Bool
    /// Whether all paths end at the property.
    private let onlyEndings: Bool
    /// The path that is to be read for a change, if that is all there is to do; `paths` holds it.
    let onlyPath: Unmanaged<ObservedPath>?
    /// Whether somebody needs the old value of a path that is to be read.
    let needsOldOfPaths: Bool
    /// Lends it; held by the table of the object that changes.
    private let lender: Unmanaged<PropertyRecord>?

    /// Gathers those who observe the property itself, and those who reach it by paths.
    ///
    /// - Parameters:
    ///   - direct: The registrations on the property itself.
    ///   - paths: The paths that lead through the property.
    ///   - place: The property.
    ///   - lender: What may lend it to changes.
    ///   - isLasting: Becomes false if a path does not know that it is hooked to the property: then registrations at it
    ///     come and go without a word to the property, and so does its end.
    convenience init(
        direct: RegistrationList, paths: [ObservedPath], at place: PropertyPlace,
        lentBy lender: PropertyRecord? = nil, isLasting: inout Bool
    ) {
        let standings = paths.map { ($0, $0.standing(at: place)) }
        if !standings.allSatisfy(\.1.isHooked) { isLasting = false }
        let reached = standings.filter { !$0.1.registrations.isEmpty }
        guard !reached.isEmpty else {
            self.init(direct, lentBy: lender)
            return
        }
        var members = ContiguousArray(direct.registrations.map { Member(registration: $0) })
        var needs = members.needs
        var needsOfPaths: KeyValueObservingOptions = []
        var onlyEndings = true
        for (path, standing) in reached {
            let byPath = ContiguousArray(
                standing.registrations.registrations.map {
                    Member(registration: $0, path: path, ending: standing.ending)
                })
            members += byPath
            if standing.ending == nil {
                onlyEndings = false
                needsOfPaths.formUnion(byPath.needs)
            } else {
                needs.formUnion(byPath.needs)
            }
        }
        members.sort { $0.registration.id < $1.registration.id }
        self.init(
            RegistrationList(), members, needs: needs, paths: reached.map(\.0), onlyEndings: onlyEndings,
            needsOldOfPaths: needsOfPaths.contains(.old), lentBy: lender)
    }

    /// An audience that nobody reaches by a path.
    private convenience init(_ direct: RegistrationList, lentBy lender: PropertyRecord?) {
        self.init(
            direct, [], needs: direct.needs, paths: [], onlyEndings: true, needsOldOfPaths: false, lentBy: lender)
    }

    private init(
        _ direct: RegistrationList, _ members: ContiguousArray<Member>, needs: KeyValueObservingOptions,
        paths: [ObservedPath], onlyEndings: Bool, needsOldOfPaths: Bool, lentBy lender: PropertyRecord?
    ) {
        self.direct = direct
        self.members = members
        self.paths = paths
        self.needs = needs
        self.onlyEndings = onlyEndings
        self.needsOldOfPaths = needsOldOfPaths
        let all = members.isEmpty ? direct.registrations : ContiguousArray(members.map(\.registration))
        hasPriors = all.contains { $0.origin.options.contains(.prior) }
        let isOnePath = !hasPriors && paths.count == 1 && !onlyEndings && needs.isEmpty
        unsafe onlyPath = isOnePath ? unsafe .passUnretained(paths[0]) : nil
        count = all.count
        unsafe self.lender = lender.map { unsafe .passUnretained($0) }
        unsafe ways = members.isEmpty ? nil : .allocate(capacity: members.count)
        // A stored property of an object stays where it is as long as the object lives.
        unsafe registrations =
            count > 1
            ? .allocate(capacity: count)
            : withUnsafeMutablePointer(to: &room) {
                unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: Unmanaged<Registration>.self)
            }
        for (index, registration) in all.enumerated() {
            unsafe (registrations + index).initialize(to: .passUnretained(registration))
        }
        for (index, member) in members.enumerated() {
            let way = unsafe Way(
                path: member.path.map { unsafe .passUnretained($0) },
                ending: member.ending.map { unsafe .passUnretained($0) })
            unsafe ways.map { unsafe ($0 + index).initialize(to: way) }
        }
    }

    deinit {
        if count > 1 { unsafe registrations.deallocate() }
        unsafe ways?.deallocate()
    }

    /// Those of them who registered no later than a certain registration.
    func limited(to last: RegistrationID) -> Audience {
        guard paths.isEmpty else {
            return Audience(
                RegistrationList(), members.filter { $0.registration.id <= last }, needs: needs, paths: paths,
                onlyEndings: onlyEndings, needsOldOfPaths: needsOldOfPaths, lentBy: nil)
        }
        return Audience(direct.limited(to: last), lentBy: nil)
    }

    /// Nobody, for a change that turned out to be none.
    static let nobody = Audience(RegistrationList(), lentBy: nil)

    /// Whether there is nobody.
    var isEmpty: Bool { count == 0 }
    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }
    /// Whether the elements that come are to be found after a change of elements.
    var needsNewElements: Bool { needsNew || !paths.isEmpty }
    /// Whether a change may borrow it that makes sure that nothing else is changing on its thread.
    var isLendable: Bool { unsafe !hasPriors && onlyEndings || onlyPath != nil }
    /// Whether nothing is to be done but to read one path, and nothing else is changing on this thread.
    @usableFromInline var isOnePath: Bool { unsafe onlyPath != nil && !OpenChange.isAnyOpen }
    /// Whether nothing is to be done at a will but to read the old value.
    ///
    /// What changes inside another change that may concern the same paths is not simple, for the other one has to know.
    @usableFromInline var isSimple: Bool {
        !hasPriors && onlyEndings && (paths.isEmpty || !OpenChange.isAnyOpen)
    }

    /// Gives a borrowed audience back to its lender, while the object that changed is held.
    static func giveBack(_ audience: Unmanaged<Audience>) {
        let lender = unsafe audience._withUnsafeGuaranteedRef { unsafe $0.lender }
        unsafe lender?._withUnsafeGuaranteedRef { unsafe $0.loan.giveBack(audience) }
    }
}

extension Sequence<Audience.Member> {
    /// What they need together.
    fileprivate var needs: KeyValueObservingOptions {
        reduce(into: []) { $0.formUnion($1.registration.origin.needs) }
    }
}
