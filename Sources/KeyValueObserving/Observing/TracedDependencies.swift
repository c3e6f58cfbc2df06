// The dependencies of an object's key paths, for other products to list.

/// A property that a key path or expression depends on; its object is nil if it has died.
package struct TracedDependency {
    package let object: AnyObject?
    package let keyPath: String
    /// Whether its getter computes it and has reported itself.
    package let isComputed: Bool
}

/// A property that has observers, or that a key path or expression depends on.
package struct TracedProperty {
    package let name: String
    /// The way for a thread that does not change the property to read it.
    package let reading: Reading
    fileprivate let keyPath: AnyKeyPath

    package enum Reading {
        /// On any thread, because several threads change it.
        case anywhere
        /// On the main actor, because a handler belongs to it, so that a change on another executor traps.
        case onMainActor
        /// On no other thread.
        case nowhere
    }
}

extension KeyValueObservable {
    /// The properties that a key path's last evaluation read; for a stored property, itself; nil without an observer.
    package func tracedDependencies(of keyPath: AnyKeyPath) -> [TracedDependency]? {
        guard let table = keyValueRegistrar.existingTable else { return nil }
        let name = KeyPathName(keyPath)
        if let watch = table.watch(at: name) { return watch.tracedDependencies }
        guard let source = table.source(at: name), !source.direct.isEmpty else { return nil }
        return [source.tracedDependency]
    }

    /// The evaluated key paths and expressions of this object, with the properties that the last evaluation read.
    package var tracedWatches: [(name: String, dependencies: [TracedDependency])] {
        (keyValueRegistrar.existingTable?.watches ?? []).compactMap { watch in
            watch.registrations.last.map { ($0.site.name, watch.tracedDependencies) }
        }
    }

    /// The properties of this object whose changes notify observers.
    package var tracedProperties: [TracedProperty] {
        (keyValueRegistrar.existingTable?.allSources ?? []).compactMap { source in
            source.keyPath.flatMap { keyPath in
                source.tracedReading.map { reading in
                    TracedProperty(name: PropertyNames.text(of: keyPath), reading: reading, keyPath: keyPath)
                }
            }
        }
    }

    /// Reads a property.
    package func value(of property: TracedProperty) -> Any? { (self as Any)[keyPath: property.keyPath] }

    /// How often the handlers of the registrations on this object were called, and how many changes were dropped.
    package var tracedCounts: [(number: UInt64, delivered: Int, dropped: Int)] {
        (keyValueRegistrar.existingTable?.registrations ?? []).compactMap { registration in
            registration.listedCounts.map { (registration.number, $0.delivered, $0.dropped) }
        }
    }
}

extension Watch {
    /// The properties that it read last, without itself, because a getter that calls `accessValue(for:)` also reports
    /// its own property.
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
        TracedDependency(
            object: table.object, keyPath: keyPath.map { PropertyNames.text(of: $0) } ?? "a property",
            isComputed: isManual && keyPath.flatMap { KeyPathComponents($0)?.property } != nil)
    }

    /// The way for other threads to read it; nil without an observer.
    fileprivate var tracedReading: TracedProperty.Reading? {
        let direct = direct.all
        if direct.isEmpty, dependents.isEmpty { return nil }
        if description.isShared { return .anywhere }
        return !isManual && direct.contains { $0.site.isOnMainActor } ? .onMainActor : .nowhere
    }
}
