// Who is to be told of a change of one property.

/// The registrations that a change of one property concerns, as they are at its will.
///
/// It never changes; a table makes a new one when registrations come and go. So a change takes hold of all of them by
/// taking hold of one object.
@usableFromInline
@safe final class Audience: @unchecked Sendable {
    /// In the order in which they were made.
    private let registrations: ContiguousArray<Registration>
    /// The same, to be called without counting references: `registrations` holds them.
    let listeners: ContiguousArray<Unmanaged<Registration>>
    /// The paths among them that lead through the property.
    let paths: [ObservedPath]
    /// What the registrations on the property itself need, all together.
    private let needs: KeyValueObservingOptions
    /// Whether somebody is to be told before the change is made.
    let hasPriors: Bool

    /// Gathers those who observe the property itself, and those who reach it by paths.
    convenience init(
        direct: ContiguousArray<Registration>, needs: KeyValueObservingOptions, paths: [ObservedPath] = []
    ) {
        guard !paths.isEmpty else {
            self.init(direct, needs: needs, paths: [])
            return
        }
        let reached = paths.map { (path: $0, registrations: $0.registrations) }.filter { !$0.registrations.isEmpty }
        let all = (direct + reached.flatMap(\.registrations)).sorted { $0.id < $1.id }
        self.init(ContiguousArray(all), needs: needs, paths: reached.map(\.path))
    }

    private init(
        _ registrations: ContiguousArray<Registration>, needs: KeyValueObservingOptions, paths: [ObservedPath]
    ) {
        self.registrations = registrations
        self.paths = paths
        self.needs = needs
        hasPriors = registrations.contains { $0.options.contains(.prior) }
        unsafe listeners = ContiguousArray(registrations.map(Unmanaged.passUnretained))
    }

    /// Nobody, for a change that turned out to be none.
    static let nobody = Audience([], needs: [], paths: [])

    /// Those of them who registered no later than a certain registration.
    func limited(to last: RegistrationID) -> Audience {
        Audience(registrations.filter { $0.id <= last }, needs: needs, paths: paths)
    }

    /// Whether there is nobody.
    var isEmpty: Bool { registrations.isEmpty }
    /// Whether the property's value is to be read before a change.
    @usableFromInline var needsOld: Bool { needs.contains(.old) }
    /// Whether the property's value is to be read after a change.
    @usableFromInline var needsNew: Bool { needs.contains(.new) }
    /// Whether the elements that leave are to be found before a change of elements.
    var needsOldElements: Bool { needsOld || !paths.isEmpty }
    /// Whether the elements that come are to be found after a change of elements.
    var needsNewElements: Bool { needsNew || !paths.isEmpty }
    /// Whether nothing is to be done at a will but to read the old value.
    @usableFromInline var isSimple: Bool { !hasPriors && paths.isEmpty }
}
