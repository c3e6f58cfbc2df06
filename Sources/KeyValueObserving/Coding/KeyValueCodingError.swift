// What key-value coding throws.

/// A key, a value or a key path that key-value coding cannot use.
///
/// The description is a sentence that names the type, the key and what to do:
///
/// ```
/// Person has no key "agee". Did you mean "age"?
/// ```
///
/// Classes throw it from their own hooks, such as `validateValue(_:forKey:)`.
public struct KeyValueCodingError: Error, Equatable {
    /// What went wrong.
    ///
    /// New codes may be added, so a `switch` over codes needs a `default`.
    public struct Code: Hashable, Sendable {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// Nothing is known under the key.
        public static let undefinedKey = Self("undefinedKey")
        /// The key path, or one of its components, is empty.
        public static let emptyKeyPath = Self("emptyKeyPath")
        /// The property can be read and not be set.
        public static let notWritable = Self("notWritable")
        /// Nil was to be set to a property that is not optional.
        public static let nilForNonOptional = Self("nilForNonOptional")
        /// The value has another type than is needed, or a number does not fit exactly.
        public static let typeMismatch = Self("typeMismatch")
        /// There is no such operator, it is incomplete, or it stands where none can.
        public static let invalidOperator = Self("invalidOperator")
        /// An operator was applied to something that is not a collection it works on.
        public static let notACollection = Self("notACollection")
        /// A class did not accept the value.
        public static let invalidValue = Self("invalidValue")
        /// Reading the key path touches nothing whose changes can be seen.
        public static let notObservable = Self("notObservable")
    }

    /// What went wrong.
    public let code: Code
    /// The key, the operator or the key path concerned.
    public let key: String
    /// The type that was asked, or that of the value for which something else is needed.
    public let objectType: String
    /// The keys that resemble `key`, the nearest first.
    public let nearKeys: [String]

    /// Creates an error, as a class does in its hooks.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - key: The key concerned.
    ///   - objectType: The type of the object that was asked.
    ///   - nearKeys: The keys that resemble `key`, the nearest first.
    public init(code: Code, key: String, objectType: Any.Type, nearKeys: [String] = []) {
        self.code = code
        self.key = key
        self.objectType = "\(objectType)"
        self.nearKeys = nearKeys
    }
}

extension KeyValueCodingError.Code: CustomStringConvertible {
    /// The code's name.
    public var description: String { name }
}

extension KeyValueCodingError: CustomStringConvertible {
    /// A sentence about what went wrong, and one about what to do.
    public var description: String {
        switch code {
        case .undefinedKey:
            "\(objectType) has no key \"\(key)\". \(suggestion ?? "Only what keyPathsByKey of a class lists is found.")"
        case .emptyKeyPath:
            "The key path \"\(key)\" for \(objectType) has an empty component. Name a key between all dots."
        case .notWritable:
            """
            "\(key)" of \(objectType) can only be read. List a writable key path in keyPathsByKey, or set what it is \
            computed from.
            """
        case .nilForNonOptional:
            "\"\(key)\" of \(objectType) cannot be nil. Set a value, or say in setNilValue(forKey:) what nil stands for."
        case .typeMismatch where key.hasPrefix("@"):
            "\"\(key)\" cannot work on a value of type \(objectType). Apply it to values of one type that it works on."
        case .typeMismatch:
            """
            The value for "\(key)" of \(objectType) is not of the type needed there. Pass that type, or a number that \
            it holds exactly.
            """
        case .invalidOperator:
            "\"\(key)\" cannot be applied to \(objectType). \(suggestion ?? "See the list of operators.")"
        case .notACollection:
            "\"\(key)\" needs a collection, and \(objectType) is none that it works on. Use it with an array or a set."
        case .invalidValue:
            "\(objectType) does not accept the value for \"\(key)\". Pass one that its validation accepts."
        case .notObservable:
            """
            \(objectType) cannot be observed at "\(key)": reading it touches no @Observed property, so no change of it \
            can be seen. Make a stored property behind it @Observed.
            """
        default:
            "\(code) for \"\(key)\" of \(objectType)."
        }
    }

    /// The near misses as a question, such as `Did you mean "age" or "page"?`.
    private var suggestion: String? {
        guard let last = nearKeys.last else { return nil }
        let others = nearKeys.dropLast().map { "\"\($0)\"" }.joined(separator: ", ")
        return "Did you mean \(others.isEmpty ? "" : "\(others) or ")\"\(last)\"?"
    }
}
