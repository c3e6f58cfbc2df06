// Whose classes the objects of a random program are of.

/// Where the properties of a program's objects are declared.
enum ProgramKind {
    /// In a class that declares them with `@Observed`.
    case observed
    /// In a class that declares them with `@ObservedShared`.
    case shared
    /// In a class of another module, for which a notifying subclass announces their changes.
    case foreign

    /// Whether accessors announce the changes: those of a subclass, if the class is another module's.
    var announces: Bool { self == .foreign }
    /// Whether an access in place reads a property and then sets it.
    var readsFirst: Bool { self == .foreign }

    /// Whether a property gives the paths that end at it their values: not one that leads through another module's class.
    var endsPaths: Bool { self != .foreign }

    /// Whether a call of a view that makes two changes stores both at once.
    var storesCallsAtOnce: Bool { self == .shared }

    /// Whether the properties can be announced by hand, and observers called before their changes.
    var isHeldStill: Bool { self != .shared }

    /// What may be observed of the objects.
    var subjects: [ProgramSubject] {
        switch self {
        case .observed, .shared: ProgramSubject.allCases
        // There is one class, and not a subclass of it.
        case .foreign: ProgramSubject.allCases.filter { ![.numberOfSubclass, .itemsOfSubclass].contains($0) }
        }
    }

    /// Makes objects, the last of which shows more than it stores.
    func objects(count: Int) -> any ProgramObjects {
        switch self {
        case .observed: ObservedProgramObjects(count: count)
        case .shared: SharedProgramObjects(count: count)
        case .foreign: ForeignProgramObjects(count: count)
        }
    }
}
