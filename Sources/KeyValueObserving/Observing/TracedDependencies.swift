// What the key paths of an object depend on, for listings of products that show it.

/// A property that something depends on.
package struct TracedDependency {
    /// The object that has it; nil if that is gone.
    package let object: AnyObject?
    /// What it is called.
    package let keyPath: String
}

/// A key path or an expression of an object that is evaluated, because somebody observes it.
package struct TracedWatch {
    /// What is observed.
    package let name: String
    /// What its last evaluation read, in the order of the first reads.
    package let dependencies: [TracedDependency]
}

extension KeyValueObservable {
    /// What a key path read when it was evaluated last; nil if nobody observes it.
    ///
    /// A stored property is its own only dependency. Nothing is read.
    package func tracedDependencies(of keyPath: AnyKeyPath) -> [TracedDependency]? {
        guard let table = keyValueRegistrar.existingTable else { return nil }
        let name = KeyPathName(keyPath)
        if let path = table.path(at: name) as? EvaluatedPath { return path.tracedDependencies }
        let record = table.record(at: name) ?? table.storedRecord(at: keyPath)
        guard let record, !record.direct.isEmpty else { return nil }
        return [record.tracedDependency]
    }

    /// The key paths and expressions of this object that are evaluated.
    package var tracedWatches: [TracedWatch] {
        (keyValueRegistrar.existingTable?.paths ?? []).compactMap { path in
            guard let path = path as? EvaluatedPath, let name = path.registrations.last?.site.name else { return nil }
            return TracedWatch(name: name, dependencies: path.tracedDependencies)
        }
    }
}

extension EvaluatedPath {
    /// What it read last, but for itself: a getter that calls `accessValue(for:)` reports its own property, too.
    fileprivate var tracedDependencies: [TracedDependency] {
        let all = dependencyList
        let others = ContiguousArray(all.filter { record in core.map { !isOwn(record, $0) } ?? true })
        return (others.isEmpty ? all : others).map(\.tracedDependency)
    }

    private func isOwn(_ record: PropertyRecord, _ core: PathCore) -> Bool {
        guard record.isManual, record.isNamed(core.name), let object = record.table.object else { return false }
        return core.isRoot(object)
    }
}

extension PropertyRecord {
    fileprivate var tracedDependency: TracedDependency {
        TracedDependency(object: table.object, keyPath: keyPath.map { PropertyNames.text(of: $0) } ?? "a property")
    }
}
