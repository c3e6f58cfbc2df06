// Who observes what.

/// One registration on an object, for people and tests to look at.
public struct KeyValueObservationInfo: Sendable {
    /// The key path as text, `address.city` for `\Person.address?.city`.
    ///
    /// An `@Observed` property is shown by its name. The library learns the name when it reads the property for an
    /// observer. A computed property is shown by its name if its getter calls
    /// ``KeyValueObservable/accessValue(for:name:)``, or if `keyPathsByKey` of the object's class, or
    /// of another class whose keys have been used, lists it. Any other property is shown by its type, as
    /// `computed Bool`. A key path that was given as a string is shown unchanged.
    public let keyPath: String
    /// For whom the registration was made; nil for one that only has a token.
    ///
    /// For a controller, `addObserver` or an owner it is the type of the observer. For a binding it is the type of the
    /// target. For delivery elsewhere it is the place, such as `handler on the main actor`.
    public let observer: String?
    /// The registration's ``KeyValueObservation/label``, or that of its sequence.
    public let label: String?
    /// What was asked for.
    public let options: KeyValueObservingOptions
    /// The file that made the registration, as `Module/File.swift`.
    public let fileID: String
    /// The line that made the registration.
    public let line: UInt
    /// How often the handler was called, initial and prior calls included.
    ///
    /// Calls that begin at the same moment on several threads may be counted as one.
    ///
    /// For a sequence, how many changes were taken from it.
    public let deliveredCount: Int
    /// How many changes a ``KeyValueBufferingPolicy`` has dropped; 0 for a registration without one.
    public let droppedCount: Int
}

extension KeyValueObservationInfo: CustomStringConvertible {
    /// One line, such as `age “first row” [new, old] observed by Screen at App/Screen.swift:12, delivered 3`.
    public var description: String {
        let name = label.map { " “\($0)”" } ?? ""
        let by = observer.map { " observed by \($0)" } ?? ""
        return "\(keyPath)\(name) \(options)\(by) at \(fileID):\(line), \(countsText)"
    }

    /// The counts in words; what was dropped is left out if nothing was.
    package var countsText: String {
        "delivered \(deliveredCount)" + (droppedCount == 0 ? "" : ", dropped \(droppedCount)")
    }
}

extension KeyValueObservable {
    /// The registrations on this object, in the order in which they were made; empty if there are none.
    ///
    /// Registrations on other objects whose key paths lead through this one are listed there. Safe from any thread;
    /// the cost is proportional to the number of registrations.
    public var observationInfo: [KeyValueObservationInfo] {
        PropertyNames.noteNames(of: type(of: self))
        return keyValueRegistrar.existingTable?.registrations.compactMap(\.info) ?? []
    }

    /// Whether somebody observes `keyPath` on this object.
    ///
    /// Only registrations of the property itself count, written with any class of the object (`\Base.age`,
    /// `\Derived.age`). Registrations of a path that leads through the property, or of a property that is computed from
    /// it, do not count. Safe from any thread.
    public func isObserved<Value>(_ keyPath: KeyPath<Self, Value>) -> Bool {
        keyValueRegistrar.existingTable.map { Registering.isObserved(keyPath, in: $0) } ?? false
    }
}

extension RegistrationList {
    /// Whether the recipient of one of them is still there.
    var hasRecipient: Bool {
        all.contains { !($0.entrance?.isAbandoned ?? false) }
    }
}

extension Registration {
    /// How often its handler was called, and how many changes were dropped.
    var listedCounts: (delivered: Int, dropped: Int) {
        entrance?.counts ?? (delivered: callCount, dropped: 0)
    }

    /// Nil if its recipient is gone.
    fileprivate var info: KeyValueObservationInfo? {
        if entrance?.isAbandoned ?? false { return nil }
        let counts = listedCounts
        return KeyValueObservationInfo(
            keyPath: site.name, observer: site.observer, label: label, options: site.options,
            fileID: site.fileID, line: site.line, deliveredCount: counts.delivered, droppedCount: counts.dropped)
    }
}
