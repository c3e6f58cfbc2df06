// Why an object cannot be made observable.
import KeyValueObserving

/// An error that explains why a ``NotifyingSubclass`` did not make an object observable.
///
/// The description says why, with the types concerned, and what to do:
///
/// ```
/// Download is not exactly a Progress, so NotifyingProgress cannot take the place of its class. Declare a notifying
/// subclass of Download.
/// ```
public struct NotifyingSubclassError: Error, Hashable, CustomStringConvertible {
    /// Why.
    ///
    /// New codes may be added, so a `switch` over codes needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// The notifying subclass has stored properties, for which objects of its superclass have no room.
        public static let hasStorage = Self("hasStorage")
        /// The class of the object is not exactly the superclass of the notifying subclass.
        public static let otherClass = Self("otherClass")
        /// Another notifying subclass has replaced the object's class.
        public static let otherSubclass = Self("otherSubclass")
        /// The object is in its `deinit`.
        public static let objectIsEnding = Self("objectIsEnding")
        /// The Swift runtime stores the classes of objects in a way that this product does not know.
        public static let unknownRuntime = Self("unknownRuntime")
    }

    /// Why.
    public let code: Code
    /// The notifying subclass.
    public let subclass: String
    /// The superclass of the notifying subclass; nil if it has none.
    public let superclass: String?
    /// The class of the object.
    public let objectType: String

    /// Creates an error, for instance to compare with a thrown one.
    public init(code: Code, subclass: AnyClass, superclass: AnyClass?, objectType: AnyClass) {
        self.code = code
        self.subclass = TypeName.text(of: subclass)
        self.superclass = superclass.map(TypeName.text)
        self.objectType = TypeName.text(of: objectType)
    }

    /// A sentence with the reason, and one with the remedy.
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
        case .unknownRuntime:
            """
            The Swift runtime keeps the classes of objects in another way than this library knows, so no \(objectType) can \
            be observed as \(subclass). KeyValueDiagnostics.runtimeReport says what is known here.
            """
        default: "\(code): \(subclass) cannot take the place of \(objectType)."
        }
    }
}
