// What depends on what.
public import KeyValueObserving

extension KeyValueTrace {
    /// A property of an object.
    public struct Property: Sendable, Hashable {
        /// The object; nil if it is gone.
        public let object: Object?
        /// What the property is called, as in `observationInfo`.
        public let keyPath: String
        /// Whether it is a computed property, which has reported itself when it was read.
        package let isComputed: Bool
    }

    /// An expression, a path or a computed property of an object, and what it depends on.
    public struct Dependent: Sendable {
        /// What is observed, as in `observationInfo`.
        public let name: String
        /// What its last evaluation read, in the order of the first reads.
        public let dependencies: [Property]
    }

    /// What a computed property or a path read when it was evaluated last: the properties whose changes notify its
    /// observers.
    ///
    /// ```swift
    /// let observation = person.observe(\.age) { _, _ in }
    /// print(KeyValueTrace.dependencies(of: person, \Person.age)?.map(\.keyPath) ?? [])     // prints "["age"]"
    /// ```
    ///
    /// A stored property depends on itself alone. Nothing is read and no code of the class runs, so it may be asked on
    /// any thread, and of a key path that nobody observes nothing is known. Tracing need not be on.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: What somebody observes, written with the class that it was registered with.
    /// - Returns: The properties, in the order of the first reads; nil if nobody observes the key path.
    public static func dependencies<Root: KeyValueObservable>(
        of object: Root, _ keyPath: PartialKeyPath<Root>
    ) -> [Property]? {
        object.tracedDependencies(of: keyPath)?.map(Property.init)
    }
}

extension KeyValueTrace {
    /// What of an object depends on what, as text and in the language DOT.
    public struct Graph: Sendable, CustomStringConvertible {
        /// The name of the object's class.
        public let typeName: String
        /// What is evaluated, and what that depends on.
        public let dependents: [Dependent]

        /// A line for each, such as `total of Cart depends on count of Cart, price of Cart`.
        public var description: String {
            dependents.map { dependent in
                let sources = dependent.dependencies.map(\.text).joined(separator: ", ")
                return "\(dependent.name) of \(typeName) depends on \(sources)"
            }.joined(separator: "\n")
        }

        /// The same for Graphviz: `dot -Tsvg` draws it.
        public var dot: String {
            let edges = dependents.flatMap { dependent -> [String] in
                let target = quoted("\(dependent.name) of \(typeName)")
                return dependent.dependencies.map { "    \(quoted($0.text)) -> \(target)\n" }
            }
            return "digraph {\n    rankdir=LR\n" + edges.joined() + "}"
        }

        private func quoted(_ text: String) -> String {
            "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" } + "\""
        }
    }

    /// What an object's key paths and expressions that somebody observes depend on, to be printed or drawn.
    ///
    /// An expression is called by the place where it is observed. Nothing is read; tracing need not be on. If it is, an
    /// inspector lists the object and those that it depends on from then on, also if they do not change.
    public static func graph(of object: some KeyValueObservable) -> Graph {
        let watches = object.tracedWatches
        Recorder.shared.meet([object] + watches.flatMap(\.dependencies).compactMap(\.object))
        let dependents = watches.map { watch in
            Dependent(name: watch.name, dependencies: watch.dependencies.map(Property.init))
        }
        return Graph(typeName: TypeName.of(object), dependents: dependents)
    }
}

extension KeyValueTrace.Property {
    fileprivate var text: String { object.map { "\(keyPath) of \($0.typeName)" } ?? keyPath }

    fileprivate init(_ dependency: TracedDependency) {
        object = dependency.object.map(KeyValueTrace.Object.init)
        keyPath = dependency.keyPath
        isComputed = dependency.isComputed
    }
}
