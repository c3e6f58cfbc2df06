// What is found out about key paths, once.

/// What was found out about key paths without arguments, kept for good.
///
/// Of key paths with arguments there may be any number, so nothing is kept about them. Others may be put together at run
/// time, so there is a limit to how many are kept. Hashing one without arguments runs no code of users.
struct KeyPathFacts<Fact>: Sendable {
    private struct Known {
        let fact: Fact
        /// How many key paths that are equal to the name are kept as objects.
        var objects = 0
    }

    private let facts = Guarded<
        (byName: [AnyKeyPath: Known], byObject: [ObjectIdentifier: (keyPath: AnyKeyPath, fact: Fact)])
    >(([:], [:]))

    /// How many names are kept: more than a program writes down.
    private static var mostNames: Int { 4_096 }

    /// How many objects are kept for one name: a literal is another one at each place of a program.
    private static var mostObjects: Int { 8 }

    /// The fact about a key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - find: Finds out; it is called again if another thread asks meanwhile.
    ///   - isLasting: Whether what was found is to be kept.
    /// - Returns: What was found.
    func fact(of keyPath: AnyKeyPath, _ find: () -> Fact, isLasting: () -> Bool = { true }) -> Fact {
        // A literal is the same object each time. It is kept, so nothing else ever has its address.
        if let known = facts.withLock({ $0.byObject[ObjectIdentifier(keyPath)] }) { return known.fact }
        guard let components = KeyPathComponents(keyPath), !components.hasArguments else { return find() }
        let fact = facts.withLock({ $0.byName[keyPath]?.fact }) ?? find()
        guard isLasting() else { return fact }
        return facts.withLock { facts in
            if facts.byName.count >= Self.mostNames, facts.byName[keyPath] == nil { return fact }
            var known = facts.byName[keyPath] ?? Known(fact: fact)
            if known.objects < Self.mostObjects, facts.byObject[ObjectIdentifier(keyPath)] == nil {
                known.objects += 1
                facts.byObject[ObjectIdentifier(keyPath)] = (keyPath, known.fact)
            }
            facts.byName[keyPath] = known
            return known.fact
        }
    }
}
