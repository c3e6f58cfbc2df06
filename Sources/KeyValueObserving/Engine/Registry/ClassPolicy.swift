// What a class says about its properties, asked once.

/// What a class says about one of its properties.
struct PropertyPolicy {
    /// Whether setting it notifies.
    var isAutomatic = true
    /// What affects it beside what its getter reads.
    var dependencies: [AnyKeyPath] = []

    /// Whether it can be observed although reading it touches nothing that is observable.
    var isDeclared: Bool { !isAutomatic || !dependencies.isEmpty }
}

/// What a class says about its properties: asked once for each and kept for good.
///
/// No lock is held while the class is asked. Threads that come at the same time may all ask; the first answer is kept.
///
/// What it says of key paths with arguments is not kept, because there may be any number of them. It is asked each
/// time, on the thread that needs the answer.
final class ClassPolicy: Sendable {
    // A metatype is a constant.
    nonisolated(unsafe) private let type: any KeyValueObservable.Type
    private let answers = Guarded<[Question: Answer]>([:])

    private enum Question: Hashable {
        case stored(PropertyIdentity)
        /// A key path without arguments.
        case keyPath(AnyKeyPath)
    }

    private enum Answer {
        /// These threads are asking.
        case asked(by: [UInt64])
        case stored(PropertyDescription)
        case keyPath(PropertyPolicy)
    }

    /// Where the class stores properties; nil for what it does not store.
    let storages = KeyPathFacts<AnyObject?>()
    /// Under which storage a manual change is reported, where the class asks for that.
    let reportedStorages = KeyPathFacts<ReportedStorage?>()
    /// The storages of properties that were accessed in place before anything was found out about them.
    let accessedStorages = Guarded<[(property: AnyKeyPath, storage: ReportedStorage)]>([])
    /// The stored properties that key paths written from a protocol or a generic context were seen to name; nil for one
    /// that was seen to have another value.
    private let writtenProperties = Guarded<[AnyKeyPath: PropertyIdentity?]>([:])
    /// What is known of properties that notify manually.
    private let manualProperties = KeyPathFacts<PropertyDescription>()

    /// How many answers are kept, apart from those about stored properties: more than a program asks for by name.
    private static let mostAnswers = 1_024

    private static let classes = Guarded<[ObjectIdentifier: ClassPolicy]>([:])

    private init(_ type: any KeyValueObservable.Type) {
        unsafe self.type = type
    }

    /// What the class of `object` says.
    static func of(_ object: some KeyValueObservable) -> ClassPolicy { of(Swift.type(of: object)) }

    /// What a class says.
    static func of(_ type: any KeyValueObservable.Type) -> ClassPolicy {
        classes.entry(of: type) { ClassPolicy(type) }
    }

    /// Describes one of the class's observed properties.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - describe: Describes it, given what the class says of a key path.
    /// - Returns: The same description each time.
    func description(
        of property: PropertyIdentity, _ describe: ((AnyKeyPath) -> PropertyPolicy) -> PropertyDescription
    ) -> PropertyDescription {
        let subject = Question.stored(property)
        return known(subject)
            ?? asking(
                subject, { describe { ask([$0]) } }, isAlreadyAsked: { describe { _ in PropertyPolicy() } },
                known: { known(subject) }, as: { .stored($0) })
    }

    /// What the class says about a key path that is not simply one of its observed properties.
    ///
    /// The key path of a computed property does not say which class declares it. So the class is asked about it as it
    /// and each of its superclasses would write it.
    func policy(of keyPath: AnyKeyPath) -> PropertyPolicy {
        guard let components = KeyPathComponents(keyPath), !components.hasArguments else { return ask([keyPath]) }
        let subject = Question.keyPath(keyPath)
        return known(subject)
            ?? asking(
                subject, { ask(KeyPathRoot.written(keyPath, byClassesOf: unsafe type)) },
                isAlreadyAsked: { PropertyPolicy() }, known: { known(subject) }, as: { .keyPath($0) })
    }

    /// The stored property that a key path written from a protocol or a generic context was seen to name.
    ///
    /// - Returns: `.some(nil)` if it was seen to name something else; nil if nothing was seen.
    func writtenProperty(at keyPath: AnyKeyPath) -> PropertyIdentity?? {
        // Such a key path has no arguments, so that hashing it runs no code of users.
        writtenProperties.withLock { $0[keyPath] }
    }

    /// Notes what such a key path was seen to name, by reading it; nil if it is no other way to write a stored property.
    func noteWritten(_ property: PropertyIdentity?, at keyPath: AnyKeyPath) {
        writtenProperties.withLock { known in
            if known[keyPath] == nil, known.count >= Self.mostAnswers { return }
            // Once it had another value it names something else, which may have the same value at times.
            if known[keyPath] != .some(nil) { known.updateValue(property, forKey: keyPath) }
        }
    }

    /// Describes a property that notifies manually.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - root: The class that the key path starts at.
    /// - Returns: The same description each time, unless the key path has arguments.
    func description(ofManual keyPath: AnyKeyPath, from root: AnyClass) -> PropertyDescription {
        manualProperties.fact(
            of: keyPath, { PropertyDescription(manual: keyPath, policy(of: keyPath), of: unsafe type, from: root) },
            // A class that is still being asked about it has not given its answer.
            isLasting: { (known(.keyPath(keyPath)) as PropertyPolicy?) != nil })
    }

    private func known(_ subject: Question) -> PropertyDescription? {
        if case .stored(let description) = answers.withLock({ $0[subject] }) { description } else { nil }
    }

    private func known(_ subject: Question) -> PropertyPolicy? {
        if case .keyPath(let policy) = answers.withLock({ $0[subject] }) { policy } else { nil }
    }

    /// Finds an answer and keeps it, unless another thread was first.
    ///
    /// A class that observes the very property it is being asked about gets what all properties have by default.
    private func asking<Result>(
        _ subject: Question, _ body: () -> Result, isAlreadyAsked: () -> Result, known: () -> Result?,
        as answer: (Result) -> Answer
    ) -> Result {
        let thread = ThisThread.number
        let isAsking = answers.withLock { answers in
            var threads: [UInt64] = []
            switch answers[subject] {
            case .asked(let asking): threads = asking
            case .stored, .keyPath: return false
            case nil: break
            }
            guard !threads.contains(thread) else { return true }
            answers[subject] = .asked(by: threads + [thread])
            return false
        }
        if isAsking { return isAlreadyAsked() }
        let result = body()
        answers.withLock { answers in
            switch answers[subject] {
            case .stored, .keyPath: break
            case .asked, nil:
                // Key paths may be put together at run time, any number of them.
                var isKept = true
                if case .keyPath = subject { isKept = answers.count <= Self.mostAnswers }
                answers[subject] = isKept ? answer(result) : nil
            }
        }
        return known() ?? result
    }

    private func ask(_ keyPaths: [AnyKeyPath]) -> PropertyPolicy {
        let type = unsafe self.type
        return Tracking.suspended {
            PropertyPolicy(
                isAutomatic: keyPaths.allSatisfy { type.automaticallyNotifiesObservers(for: $0) },
                dependencies: Array(Set(keyPaths.flatMap { type.keyPathsAffectingValue(for: $0) })))
        }
    }
}
