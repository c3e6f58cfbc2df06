// Listings of dependencies.
public import KeyValueObserving

extension KeyValueTrace {
    /// A property of an object.
    public struct Property: Sendable, Hashable {
        /// The object; nil if it has died.
        public let object: Object?
        /// The property's name, as `observationInfo` shows it.
        public let keyPath: String
        /// Whether it is a computed property that reported itself when it was read.
        package let isComputed: Bool
    }

    /// An expression, a path or a computed property of an object, with its dependencies.
    public struct Dependent: Sendable {
        /// The key path or expression observed, as `observationInfo` shows it.
        public let name: String
        /// The properties that its last evaluation read, in the order of the first reads.
        public let dependencies: [Property]
    }

    /// Returns the properties whose changes notify the observers of a computed property or a path: those that its last
    /// evaluation read.
    ///
    /// ```swift
    /// let observation = person.observe(\.age) { _, _ in }
    /// print(KeyValueTrace.dependencies(of: person, \Person.age)?.map(\.keyPath) ?? [])     // prints "["age"]"
    /// ```
    ///
    /// A stored property depends on itself alone. You may call this on any thread, because it reads no property and
    /// runs no code of the class; nothing is therefore known of a key path without observers. Tracing need not be on.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: An observed key path, written with the class that it was registered with.
    /// - Returns: The properties, in the order of the first reads; nil if the key path has no observer.
    public static func dependencies<Root: KeyValueObservable>(
        of object: Root, _ keyPath: PartialKeyPath<Root>
    ) -> [Property]? {
        object.tracedDependencies(of: keyPath)?.map(Property.init)
    }
}

extension KeyValueTrace {
    /// The dependencies of an object, as text and in the language DOT.
    public struct Graph: Sendable, CustomStringConvertible {
        /// The name of the object's class.
        public let typeName: String
        /// The expressions, paths and computed properties, with their dependencies.
        public let dependents: [Dependent]

        /// A line for each, such as `total of Cart depends on count of Cart, price of Cart`.
        public var description: String {
            dependents.map { dependent in
                let sources = dependent.dependencies.map(\.text).joined(separator: ", ")
                return "\(dependent.name) of \(typeName) depends on \(sources)"
            }.joined(separator: "\n")
        }

        /// The graph as a Graphviz document, which `dot -Tsvg` draws.
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

    /// Returns the dependencies of an object's observed key paths and expressions, to print or draw.
    ///
    /// The name of an expression is the place where it is observed. No property is read, and tracing need not be on. If
    /// it is on, an inspector lists the object and its dependencies from then on, even if they do not change.
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
