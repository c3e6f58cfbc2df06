// How the classes are declared whose objects a random program changes.

/// What the macro makes of the properties of a program's objects.
enum ProgramKind {
    /// They have no code of their own.
    case declared
    /// They have `didSet`.
    case watched

    /// Whether accessors announce the changes.
    var announces: Bool { self == .watched }
    /// Whether an access in place reads a property and then sets it.
    var readsFirst: Bool { false }

    /// Whether a property gives the paths that end at it their values.
    var endsPaths: Bool { true }

    /// Whether a call of a view that makes two changes stores both at once.
    var storesCallsAtOnce: Bool { false }

    /// What may be observed of the objects.
    var subjects: [ProgramSubject] {
        switch self {
        case .declared: ProgramSubject.allCases
        case .watched: ProgramSubject.allCases.filter { ![.numberOfSubclass, .itemsOfSubclass].contains($0) }
        }
    }

    /// Makes objects, the last of which shows more than it stores.
    func objects(count: Int) -> any ProgramObjects {
        switch self {
        case .declared: DeclaredProgramObjects(count: count)
        case .watched: WatchedProgramObjects(count: count)
        }
    }
}
