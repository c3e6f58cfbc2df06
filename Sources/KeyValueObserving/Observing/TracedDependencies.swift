// What the key paths of an object depend on, for listings of products that show it.

/// A property that something depends on; its object is nil if that is gone.
package struct TracedDependency {
    package let object: AnyObject?
    package let keyPath: String
}

extension KeyValueObservable {
    /// What a key path read when it was evaluated last, for a stored property itself; nil if nobody observes it.
    package func tracedDependencies(of keyPath: AnyKeyPath) -> [TracedDependency]? {
        guard let table = keyValueRegistrar.existingTable else { return nil }
        let name = KeyPathName(keyPath)
        if let watch = table.watch(at: name) { return watch.tracedDependencies }
        guard let source = table.source(at: name), !source.direct.isEmpty else { return nil }
        return [source.tracedDependency]
    }

    /// The key paths and expressions of this object that are evaluated, with what that read last.
    package var tracedWatches: [(name: String, dependencies: [TracedDependency])] {
        (keyValueRegistrar.existingTable?.watches ?? []).compactMap { watch in
            watch.registrations.last.map { ($0.site.name, watch.tracedDependencies) }
        }
    }
}

extension Watch {
    /// What it read last, but for itself: a getter that calls `accessValue(for:)` reports its own property, too.
    fileprivate var tracedDependencies: [TracedDependency] {
        let all = attached
        let others = all.filter { source in
            !(source.isManual && source.table === table && subject.map { source.isNamed($0.name) } ?? false)
        }
        return Array(others.isEmpty ? all : ContiguousArray(others)).map(\.tracedDependency)
    }
}

extension Source {
    fileprivate var tracedDependency: TracedDependency {
        TracedDependency(object: table.object, keyPath: keyPath.map { PropertyNames.text(of: $0) } ?? "a property")
    }
}
