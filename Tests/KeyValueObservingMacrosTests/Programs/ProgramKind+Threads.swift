// What several threads may do with the objects of a random program.

extension ProgramKind {
    /// Whether the properties can be announced by hand, and observers called before their changes.
    var isHeldStill: Bool { true }
}
