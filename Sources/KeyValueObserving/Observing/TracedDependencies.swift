// What the key paths of an object depend on, for listings of products that show it.

/// A property that something depends on; its object is nil if that is gone.
package struct TracedDependency {
    package let object: AnyObject?
    package let keyPath: String
    /// Whether its getter computes it, which has reported itself.
    package let isComputed: Bool
}

/// A property that somebody observes, or that something depends on.
package struct TracedProperty {
    package let name: String
    /// How it can be read by somebody else than the thread that changes it.
    package let reading: Reading
    fileprivate let keyPath: AnyKeyPath

    package enum Reading {
        /// Several threads change it: on any thread.
        case anywhere
        /// A handler belongs to the main actor, and a change elsewhere traps: there.
        case onMainActor
        /// Not at all.
        case nowhere
    }
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

    /// The properties of this object whose changes notify somebody.
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
        TracedDependency(
            object: table.object, keyPath: keyPath.map { PropertyNames.text(of: $0) } ?? "a property",
            isComputed: isManual && keyPath.flatMap { KeyPathComponents($0)?.property } != nil)
    }

    /// How others can read it; nil if nobody observes it.
    fileprivate var tracedReading: TracedProperty.Reading? {
        let direct = direct.all
        if direct.isEmpty, dependents.isEmpty { return nil }
        if description.isShared { return .anywhere }
        return !isManual && direct.contains { $0.site.isOnMainActor } ? .onMainActor : .nowhere
    }
}
