// What the library asks of key paths.

extension KeyPathComponents {
    /// What ends the program where a key path cannot be read any more, for people; nil if nothing is known to.
    static func trap(in keyPath: AnyKeyPath) -> Trap? { isLayoutKnown ? Self(reading: keyPath).trap : nil }

    /// Whether a key path names one stored property of a class, and nothing else.
    static func isStoredProperty(_ keyPath: AnyKeyPath) -> Bool {
        guard let components = Self(keyPath)?.components, components.count == 1 else { return false }
        if case .stored = components[0] { return true } else { return false }
    }

    /// The first class on the way of a key path whose objects cannot be observed, although the key path goes on to a
    /// property of theirs that can be set.
    static func unobservableOwner(in keyPath: AnyKeyPath) -> Any.Type? {
        Self(keyPath)?.owners.first { $0 is AnyClass && !($0 is any KeyValueObservable.Type) }
    }

    /// Whether a key path leads to a property of another object than it starts at; false where that is not known.
    package static func leadsToOtherObject(_ keyPath: AnyKeyPath) -> Bool {
        Self(keyPath)?.owners.contains { $0 is AnyClass } ?? false
    }

    /// The properties that key paths lead through one after the other; nil if they are made of anything else.
    static func properties(of keyPaths: [AnyKeyPath]) -> ContiguousArray<UInt>? {
        var properties: ContiguousArray<UInt> = []
        for keyPath in keyPaths {
            guard let components = Self(keyPath)?.components else { return nil }
            for component in components {
                switch component {
                case .computed(let id): properties.append(id)
                case .optional: break
                case .stored: return nil
                }
            }
        }
        return properties
    }

    /// Whether two key paths with arguments are equal.
    ///
    /// Swift compares arguments as those of the left key path's types, and reads what is not there if the right one's
    /// are smaller.
    static func areEqual(_ left: AnyKeyPath, _ right: AnyKeyPath) -> Bool {
        if let left = Self(left), let right = Self(right), left.argumentSizes != right.argumentSizes { return false }
        return left == right
    }
}
