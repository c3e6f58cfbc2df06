// Descriptions of registrations.

/// The description of one registration on an object, for debugging and tests.
public struct KeyValueObservationInfo: Sendable {
    /// The key path as text, `address.city` for `\Person.address?.city`.
    ///
    /// A stored property is shown by its name. A computed property is shown by its name if its getter calls
    /// ``KeyValueObservable/accessValue(for:name:)``, or if `keyPathsByKey` of its class, or of another class whose keys have
    /// been used, lists it; otherwise by the registration's label, or by its type and the line of the registration, as
    /// `computed Bool at Person.swift:12`. It stays the same for a registration. A key path that was given as a string is
    /// shown unchanged.
    ///
    /// In a program without reflection metadata, and at the end of a path in one without symbols, a stored property is
    /// shown as `property Int at Person.swift:12`.
    public let keyPath: String
    /// The type of the observer or of a binding's target, or the executor of a delivery, such as
    /// `handler on the main actor`; nil for a registration that only has a token.
    public let observer: String?
    /// The registration's ``KeyValueObservation/label``, or that of its sequence.
    public let label: String?
    /// The options of the registration.
    public let options: KeyValueObservingOptions
    /// The file that made the registration, as `Module/File.swift`.
    public let fileID: String
    /// The line that made the registration.
    public let line: UInt
    /// How often the handler was called, initial and prior calls included; for a sequence, how many changes were
    /// consumed.
    ///
    /// Calls that begin at the same moment on several threads may be counted as one.
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

    /// The counts in words, without the dropped changes if there are none.
    package var countsText: String {
        "delivered \(deliveredCount)" + (droppedCount == 0 ? "" : ", dropped \(droppedCount)")
    }
}

extension KeyValueObservable {
    /// The registrations on this object, in the order in which they were made; empty if there are none.
    ///
    /// Registrations on other objects whose key paths lead through this one are listed there. Safe from any thread.
    public var observationInfo: [KeyValueObservationInfo] { numberedInfo.map(\.info) }

    /// The descriptions with the numbers of the registrations.
    package var numberedInfo: [(number: UInt64, info: KeyValueObservationInfo)] {
        PropertyNames.noteNames(of: type(of: self))
        let registrations = keyValueRegistrar.existingTable?.registrations ?? []
        return registrations.compactMap { registration in registration.info.map { (registration.number, $0) } }
    }

    /// Whether a registration observes `keyPath` on this object, written with any of its classes (`\Base.age`,
    /// `\Derived.age`).
    ///
    /// A registration of a path through it, or of a property computed from it, does not count. Safe from any thread.
    public func isObserved<Value>(_ keyPath: KeyPath<Self, Value>) -> Bool {
        keyValueRegistrar.existingTable.map { Registering.isObserved(keyPath, in: $0) } ?? false
    }
}

extension RegistrationList {
    /// Whether one of them still has a living recipient.
    var hasRecipient: Bool { all.contains { !$0.isOrphaned && !($0.entrance?.isAbandoned ?? false) } }
}

extension Registration {
    /// The observer, and the executor of its handler.
    private var observerText: String? {
        let names = [site.observer, observer?.name].compactMap(\.self)
        return names.isEmpty ? nil : names.joined(separator: " for ")
    }

    /// How many handlers have been called, and how many changes were dropped.
    ///
    /// Nil if its recipient, or the observer that it ends with, has died.
    var listedCounts: (delivered: Int, dropped: Int)? {
        if isOrphaned || entrance?.isAbandoned ?? false { return nil }
        return entrance?.counts ?? (delivered: callCount, dropped: 0)
    }

    /// Nil if its recipient, or the observer that it ends with, has died.
    fileprivate var info: KeyValueObservationInfo? {
        guard let counts = listedCounts else { return nil }
        return KeyValueObservationInfo(
            keyPath: site.name, observer: observerText, label: label, options: site.options,
            fileID: site.fileID, line: site.line, deliveredCount: counts.delivered, droppedCount: counts.dropped)
    }
}

/// A class that gives its properties names, through `KeyValueCoding` or `KeyValueObservingMacros`.
public protocol _KeyValueNaming: KeyValueObservable {
    /// Records the names that the class gives its properties.
    static func _noteNames()
}

extension PropertyNames {
    /// Records the names that a class gives its properties, if it does.
    static func noteNames(of type: Any.Type) { (type as? any _KeyValueNaming.Type)?._noteNames() }
}
