// Several registrations behind one token.

/// What stands for several registrations of one call.
final class RegistrationGroup: RegistrationKeeper {
    private let observations: [KeyValueObservation]

    init(_ observations: [KeyValueObservation]) {
        self.observations = observations
    }

    func remove(_: RegistrationNumber) { for observation in observations { observation.invalidate() } }

    func registrations(_: RegistrationNumber) -> [Registration] { observations.flatMap(\.registrations) }

    /// That of the first one.
    var keyPath: AnyKeyPath? { observations.lazy.compactMap(\.keyPath).first }

    var hasEnded: Bool { observations.allSatisfy(\.isInvalidated) }
}

extension KeyValueObservation {
    /// A token for all of them.
    static func all(_ observations: [KeyValueObservation]) -> KeyValueObservation {
        observations.count == 1 ? observations[0] : KeyValueObservation(observations)
    }

    /// A token for several registrations.
    convenience init(_ observations: [KeyValueObservation]) {
        self.init(0, in: RegistrationGroup(observations))
    }
}
