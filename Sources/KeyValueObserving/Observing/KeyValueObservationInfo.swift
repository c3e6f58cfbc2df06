// Who observes what.

/// One registration on an object, for people and tests to look at.
public struct KeyValueObservationInfo: Sendable {
    /// The key path as text, `address.city` for `\Person.address?.city`.
    ///
    /// Names are those of `@Observed` properties that were read while they were observed. That of a computed property is
    /// known if its getter calls ``KeyValueObservable/accessValue(for:name:)``, or if the object's class names it in
    /// ``KeyValueCodable/keyPathsByKey``, or another class whose keys have been used. Another property is shown by its
    /// type, as `<computed Bool>`. A key path that was given as a string is shown as that.
    public let keyPath: String
    /// The type of the observer, for a registration made through a controller, by `addObserver` or by an owner; of the
    /// object that is set, for a binding; and where it is delivered, for one that is delivered elsewhere.
    public let observer: String?
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
    /// One line, such as `age [new, old] observed by Screen at App/Screen.swift:12, delivered 3`.
    public var description: String {
        let by = observer.map { " observed by \($0)" } ?? ""
        return "\(keyPath) \(options)\(by) at \(fileID):\(line), \(countsText)"
    }

    /// The counts in words; what was dropped is left out if nothing was.
    var countsText: String { "delivered \(deliveredCount)" + (droppedCount == 0 ? "" : ", dropped \(droppedCount)") }
}

extension KeyValueObservable {
    /// The registrations on this object, in the order in which they were made; empty if there are none.
    ///
    /// Registrations on other objects whose key paths lead through this one are listed there. Safe from any thread;
    /// the cost is proportional to the number of registrations.
    public var observationInfo: [KeyValueObservationInfo] {
        KeyTable.noteNames(of: type(of: self))
        return keyValueRegistrar.existingTable?.registrations.compactMap(\.info) ?? []
    }

    /// Whether somebody observes `keyPath` on this object.
    ///
    /// It is the registrations of this very key path that count, under whichever class of the object's it was
    /// written (`\Base.age`, `\Derived.age`), and not those of a key path that leads through it or is computed from it.
    /// Safe from any thread.
    public func isObserved<Value>(_ keyPath: KeyPath<Self, Value>) -> Bool {
        keyValueRegistrar.existingTable.map { RegistrationTarget.isObserved(keyPath, of: self, in: $0) } ?? false
    }
}

extension RegistrationList {
    /// Whether the recipient of one of them is still there.
    var hasRecipient: Bool { all.contains { !(($0 as? any ElsewhereRegistration)?.isAbandoned ?? false) } }
}

extension Registration {
    /// Nil if its recipient is gone.
    fileprivate var info: KeyValueObservationInfo? {
        let elsewhere = self as? any ElsewhereRegistration
        if elsewhere?.isAbandoned ?? false { return nil }
        let counts = elsewhere?.counts ?? (delivered: callCount, dropped: 0)
        return KeyValueObservationInfo(
            keyPath: site.name, observer: site.observer, options: site.options,
            fileID: site.fileID, line: site.line, deliveredCount: counts.delivered, droppedCount: counts.dropped)
    }
}
