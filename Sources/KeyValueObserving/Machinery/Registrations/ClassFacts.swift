// What a class says about its properties, asked once.
import CKeyValueObserving

/// What a class says about one of its properties.
struct PropertyFacts {
    /// Whether setting it notifies.
    var isAutomatic = true
    /// What affects it beside what its getter reads.
    var declaredDependencies: [AnyKeyPath] = []
}

/// What a class says about its properties: asked once for each property and kept for good; see `ClassInquiry`.
final class ClassFacts: Sendable {
    // A metatype is a constant; what it is asked is asked under `inquiry`.
    nonisolated(unsafe) private let type: any KeyValueObservable.Type
    private let facts = Guarded<[Subject: Answer]>([:])
    private let inquiry = ClassInquiry()

    private enum Subject: Hashable {
        case property(PropertyIdentity)
        case keyPath(AnyKeyPath)
    }

    private enum Answer {
        /// These threads are asking.
        case asked(by: [UInt])
        case known(PropertyFacts)
    }

    private static let classes = Guarded<[ObjectIdentifier: ClassFacts]>([:])

    private init(_ type: any KeyValueObservable.Type) {
        unsafe self.type = type
    }

    /// The facts of the class of `object`.
    static func of(_ object: some KeyValueObservable) -> ClassFacts {
        let type = Swift.type(of: object)
        return classes.entry(of: type) { ClassFacts(type) }
    }

    /// What the class says about one of its observed properties.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - keyPaths: The property, if that is known, and its storage, if it has one, rooted at the class that declares
    ///     it.
    /// - Returns: The facts, the same for all time once the property's key path is known.
    func facts(
        of property: PropertyIdentity, _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) -> PropertyFacts {
        if let facts = knownFacts(of: .property(property)) { return facts }
        let (wrapped, storage) = keyPaths()
        guard let wrapped else { return PropertyFacts() }
        return facts(of: .property(property)) {
            if let storage { PropertyNames.note(wrapped, storage: storage) }
            return wrapped
        }
    }

    /// What the class says about a key path that is not simply one of its observed properties.
    ///
    /// Which class declares a computed property cannot be told, so the question is put as each of them would.
    func facts(of keyPath: AnyKeyPath) -> PropertyFacts {
        facts(of: .keyPath(keyPath), keyPath: { keyPath }, inherited: { KeyPathComponents.inherited(keyPath) })
    }

    private func facts(
        of subject: Subject, keyPath: () -> AnyKeyPath, inherited: () -> [AnyKeyPath] = { [] }
    ) -> PropertyFacts {
        inquiry.answer(known: { knownFacts(of: subject) }, ask: { ask(subject, [keyPath()] + inherited()) })
    }

    private func knownFacts(of subject: Subject) -> PropertyFacts? {
        if case .known(let facts) = answer(on: subject) { facts } else { nil }
    }

    private func answer(on subject: Subject) -> Answer? {
        facts.withLock { $0[subject] }
    }

    private func ask(_ subject: Subject, _ keyPaths: [AnyKeyPath]) -> PropertyFacts {
        // A class that observes the very property it is being asked about gets what all properties have by default.
        var threads: [UInt] = []
        if case .asked(let asking) = answer(on: subject) { threads = asking }
        if threads.contains(kvo_thread_id()) { return PropertyFacts() }
        facts.withLock { $0[subject] = .asked(by: threads + [kvo_thread_id()]) }
        let result = ReadingRecorder.suspended {
            let type = unsafe self.type
            return PropertyFacts(
                isAutomatic: keyPaths.allSatisfy { type.automaticallyNotifiesObservers(for: $0) },
                declaredDependencies: Array(Set(keyPaths.flatMap { type.keyPathsAffectingValue(for: $0) })))
        }
        facts.withLock { $0[subject] = .known(result) }
        return result
    }
}
