// Who is to be told of a change of one property.

/// The registrations that a change of one property concerns, as they are at its will.
struct Audience {
    /// In the order in which they were made.
    var registrations: ContiguousArray<Registration> = []
    /// The paths among them that lead through the property.
    var paths: [ObservedPath] = []
    /// What the registrations on the property itself need, all together.
    var needs: KeyValueObservingOptions = []
    /// Whether somebody is to be told before the change is made.
    var hasPriors = false

    /// Those who observe the property itself and nobody else.
    init(direct registrations: ContiguousArray<Registration>, needs: KeyValueObservingOptions) {
        self.registrations = registrations
        self.needs = needs
        hasPriors = needs.contains(.prior)
    }

    /// Those who observe the property itself, and those who reach it by paths.
    init(
        direct: ContiguousArray<Registration>, needs: KeyValueObservingOptions, paths: [ObservedPath]
    ) {
        self.init(direct: direct, needs: needs)
        for path in paths {
            let registrations = path.registrations
            guard !registrations.isEmpty else { continue }
            self.paths.append(path)
            self.registrations += registrations
            hasPriors = hasPriors || registrations.contains { $0.options.contains(.prior) }
        }
        self.registrations.sort { $0.id < $1.id }
    }
}
