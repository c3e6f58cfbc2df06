// Why an object cannot be made observable.

/// Why an object was not made observable by a ``NotifyingSubclass``.
///
/// The description says why, with the types concerned, and what to do:
///
/// ```
/// Download is not exactly a Progress, so NotifyingProgress cannot take the place of its class. Declare a notifying
/// subclass of Download.
/// ```
public struct NotifyingSubclassError: Error, Hashable {
    /// Why.
    ///
    /// New codes may be added, so a `switch` over codes needs a `default`.
    public struct Code: Hashable, Sendable {
        /// The code's name.
        let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The notifying subclass has stored properties, for which objects of its superclass have no room.
        public static let hasStorage = Self("hasStorage")
        /// The class of the object is not exactly the superclass of the notifying subclass.
        public static let otherClass = Self("otherClass")
        /// Another notifying subclass has taken the place of the object's class.
        public static let otherSubclass = Self("otherSubclass")
        /// The object is in its `deinit`.
        public static let objectIsEnding = Self("objectIsEnding")
    }

    /// Why.
    public let code: Code
    /// The notifying subclass.
    public let subclass: String
    /// The superclass of the notifying subclass; nil if it has none.
    public let superclass: String?
    /// The class of the object.
    public let objectType: String

    init(_ code: Code, _ subclass: AnyClass, of superclass: AnyClass?, for objectType: AnyClass) {
        self.code = code
        self.subclass = Self.name(of: subclass)
        self.superclass = superclass.map(Self.name)
        self.objectType = Self.name(of: objectType)
    }

    /// What a class is called, without the module, and of a private one without what makes it unique.
    private static func name(of type: AnyClass) -> String { "\(type)" }
}

extension NotifyingSubclassError.Code: CustomStringConvertible {
    /// The code's name.
    public var description: String { name }
}

extension NotifyingSubclassError: CustomStringConvertible {
    /// A sentence about why, and one about what to do.
    public var description: String {
        switch code {
        case .hasStorage:
            """
            \(subclass) has stored properties, and objects of \(superclass ?? "no class") have no room for them. Keep \
            what it needs elsewhere.
            """
        case .otherClass:
            if let superclass {
                """
                The object is a \(objectType) and not exactly a \(superclass), so \(subclass) cannot take the place of \
                its class. Declare a notifying subclass of \(objectType).
                """
            } else {
                """
                \(subclass) has no superclass, so no object can be made one. Declare it as a subclass of \(objectType).
                """
            }
        case .otherSubclass:
            """
            \(objectType) has taken the place of the object's class already, so \(subclass) cannot. Observe the object \
            as \(objectType), or override all that is to be observed in one of the two.
            """
        case .objectIsEnding:
            """
            The \(objectType) is in its deinit, so nobody could observe it as \(subclass). Make an object observable \
            while it is referred to.
            """
        default: "\(code): \(subclass) cannot take the place of \(objectType)."
        }
    }
}
