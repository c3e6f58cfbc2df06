// The error of undoing, redoing, saving and replaying.

/// The error for a step that cannot be undone, redone, saved or replayed.
///
/// Nothing has changed when it is thrown. The description names the problem and its remedy:
///
/// ```
/// age of Person does not have the value that the step expects: 2 was expected, and 5 was found. It was changed without
/// being recorded. Set it back, or call removeAllActions().
/// ```
public struct KeyValueUndoError: Error, Hashable, CustomStringConvertible {
    /// The problem.
    ///
    /// New codes may be added, so a `switch` over codes needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// The manager is undoing, redoing, restoring or replaying, or a transaction or a group is open.
        public static let underWay = Self("underWay")
        /// A property does not have the value that the step expects.
        public static let unexpectedValue = Self("unexpectedValue")
        /// A value cannot be saved, because its type is not `Codable`, or the value read back is not equal.
        public static let notCodable = Self("notCodable")
        /// An object was tracked without a name, so its changes cannot be saved.
        public static let unnamedObject = Self("unnamedObject")
        /// A value is or has an object without a name, so it cannot be saved.
        public static let unnamedElement = Self("unnamedElement")
        /// Two properties of an object that have no names were tracked on one line, so they cannot be saved.
        public static let unnamedProperty = Self("unnamedProperty")
        /// The data is not in the form that ``KeyValueUndoManager/save()`` returns.
        public static let invalidData = Self("invalidData")
        /// The data was saved in a version of the form that this library does not know.
        public static let unknownVersion = Self("unknownVersion")
        /// No tracked object has a name that the data has.
        public static let unknownObject = Self("unknownObject")
        /// An object has no tracked property with a key that the data has.
        public static let unknownKey = Self("unknownKey")
        /// A value in the data is not of the property's type.
        public static let typeMismatch = Self("typeMismatch")
    }

    /// The problem.
    public let code: Code
    /// The type of the object concerned, or its name if no object has the name; empty if no object is concerned.
    public let objectType: String
    /// The property concerned; empty if none is.
    public let key: String
    /// The expected value, as text.
    public let expected: String
    /// The value found, as text.
    public let found: String

    /// Creates an error, for instance to compare with one that was thrown.
    public init(
        code: Code, objectType: String = "", key: String = "", expected: String = "", found: String = ""
    ) {
        self.code = code
        self.objectType = objectType
        self.key = key
        self.expected = expected
        self.found = found
    }

    /// Creates an error for a busy manager.
    init(underWay place: String) {
        self.init(code: .underWay, expected: "a call after that", found: "a call \(place)")
    }

    /// A value as text of bounded length; an optional as its wrapped value.
    static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.map { Self.text(of: $0.value) } ?? "nil" }
        let text = value is String ? String(reflecting: value) : "\(value)"
        return text.count > 200 ? text.prefix(200) + "…" : text
    }

    /// The problem and its remedy, in sentences.
    public var description: String {
        switch code {
        case .underWay:
            "Steps cannot be undone, redone, restored or replayed now: expected was \(expected), and this is \(found)."
        case .unexpectedValue:
            """
            \(key) of \(objectType) does not have the value that the step expects: \(expected) was expected, and \(found) \
            was found. It was changed without being recorded. Set it back, or call removeAllActions().
            """
        case .notCodable:
            """
            \(key) of \(objectType) cannot be saved: \(found). Make \(expected) Codable, so that what is read back is equal, \
            or do not track the property with this manager.
            """
        case .unnamedElement:
            """
            \(key) of \(objectType) cannot be saved: \(found). Keep objects in a list that you track with \
            track(_:eachOf:_:named:), or do not track the property with this manager.
            """
        case .unnamedObject:
            """
            \(key) of \(objectType) cannot be saved: the object has no name. Track it with named:, or the list that has it.
            """
        case .unnamedProperty:
            """
            \(key) of \(objectType) cannot be saved: another property has that name. Track each on a line of its own, or have \
            the class name them in keyPathsByKey.
            """
        case .invalidData: "The data is not what save() returns: \(found)."
        case .unknownVersion:
            "The data was saved in version \(found) of the form, and version \(expected) can be read."
        case .unknownObject:
            "The data has an object \"\(objectType)\", and no tracked object has that name. Track it with named:."
        case .unknownKey:
            "The data has \(key) of \(objectType) (\"\(found)\"), which is not tracked. Track the property."
        case .typeMismatch: "The data has a value for \(key) of \(objectType) that is no \(expected): \(found)."
        default: "\(key) of \(objectType): \(expected) was expected, and \(found) was found."
        }
    }
}
