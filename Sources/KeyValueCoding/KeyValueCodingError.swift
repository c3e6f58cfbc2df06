// The error of key-value coding.
public import KeyValueObserving

/// The error for a key, a value or a key path that key-value coding cannot use.
///
/// The description names the problem, with the type of the object, the key, the type wanted and the value given:
///
/// ```
/// Person has no key "agee". Did you mean "age"?
/// Person has an Int at "age", and "abc" of type String was given.
/// ```
///
/// Classes throw it from their own hooks, with the cause in `reason`:
///
/// ```swift
/// func validateValue(_ value: inout Any?, forKey key: String) throws {
///     guard key == "age", let age = value as? Int, age < 0 else { return }
///     throw KeyValueCodingError(
///         code: .invalidValue, key: key, objectType: Person.self, reason: "\(age) is less than 0")
/// }
/// // Person does not accept the value for "age": -3 is less than 0.
/// ```
///
/// Two errors are equal if they were made with equal arguments. Details that the library adds to the description are
/// not compared, so a test can expect `KeyValueCodingError(code: .typeMismatch, key: "age", objectType: Person.self)`.
public struct KeyValueCodingError: Error, Hashable {
    /// The problem.
    ///
    /// New codes may be added, so a `switch` over codes needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// The object has no such key.
        public static let undefinedKey = Self("undefinedKey")
        /// The key path, or one of its components, is empty.
        public static let emptyKeyPath = Self("emptyKeyPath")
        /// The property is read-only.
        public static let notWritable = Self("notWritable")
        /// A property that is not optional cannot be set to nil.
        public static let nilForNonOptional = Self("nilForNonOptional")
        /// The value has another type than is needed, or a number does not fit exactly.
        public static let typeMismatch = Self("typeMismatch")
        /// There is no such operator, it is incomplete, or no operator can be in its place.
        public static let invalidOperator = Self("invalidOperator")
        /// A collection is needed, and the value is not one, or not one of the kind needed.
        public static let notACollection = Self("notACollection")
        /// A class did not accept the value.
        public static let invalidValue = Self("invalidValue")
        /// The key path reads nothing observable.
        public static let notObservable = Self("notObservable")
        /// A key path that is a string has more components than can be followed.
        public static let keyPathTooLong = Self("keyPathTooLong")
    }

    /// The problem.
    public let code: Code
    /// The key, the operator or the key path concerned.
    public let key: String
    /// The type of the object concerned; for an operator, that of the value it cannot use.
    public let objectType: String
    /// The keys that resemble `key`, the nearest first.
    public let nearKeys: [String]
    /// The reason that a class gave for its error; nil if it gave none, or if the library threw the error.
    public let reason: String?
    /// Further facts, as a sentence without its period.
    let explanation: String?

    /// Creates an error, as a class does in its hooks.
    ///
    /// - Parameters:
    ///   - code: The problem.
    ///   - key: The key concerned.
    ///   - objectType: The type of the object concerned.
    ///   - nearKeys: The keys that resemble `key`, the nearest first.
    ///   - reason: The cause, which follows a colon in the description, such as `"-3 is less than 0"`.
    public init(
        code: Code, key: String, objectType: Any.Type, nearKeys: [String] = [], reason: String? = nil
    ) {
        self.init(
            code: code, key: key, objectType: objectType, nearKeys: nearKeys, reason: reason, explanation: nil)
    }

    /// Creates an error with further facts.
    init(
        code: Code, key: String, objectType: Any.Type, nearKeys: [String] = [], reason: String? = nil,
        explanation: String?
    ) {
        self.code = code
        self.key = key
        self.objectType = TypeName.text(of: objectType)
        self.nearKeys = nearKeys
        self.reason = reason
        self.explanation = explanation
    }

    /// Whether two errors have the same code, key, type, near keys and reason.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.key == right.key && left.objectType == right.objectType
            && left.nearKeys == right.nearKeys && left.reason == right.reason
    }

    /// Hashes the code, the key and the type.
    public func hash(into hasher: inout Hasher) { hasher.combine([code.description, key, objectType]) }
}

extension KeyValueDiagnostics {
    private static let errors = Handler<KeyValueCodingError> { writeLine($0) }

    /// Called with each error that no caller can catch, on the thread that makes the change.
    ///
    /// By default it prints one line to standard error. It may be set at any time, from any thread.
    public static var codingErrorHandler: @Sendable (KeyValueCodingError) -> Void {
        get { errors.current }
        set { errors.current = newValue }
    }

    /// Calls the handler with an error; an error of another type, from the class, becomes the reason of one with a
    /// code.
    static func report(_ error: any Error, key: String, of object: AnyObject) {
        let error =
            error as? KeyValueCodingError
            ?? KeyValueCodingError(
                code: .undefinedKey, key: key, objectType: type(of: object), reason: "\(error)",
                explanation: "\(TypeName.of(object)) gave no value for \"\(key)\"")
        Tracking.suspended { codingErrorHandler(error) }
    }
}
