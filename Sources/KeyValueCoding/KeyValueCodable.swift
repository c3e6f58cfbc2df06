// The protocol of classes with access to their properties by name.
public import KeyValueObserving

/// A class with properties that can be read, set and observed by name.
///
/// List the properties that you want to reach by name, each under its key:
///
/// ```swift
/// class Person: KeyValueCodable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var age = 0
///     @Observed var address: Address?
///
///     class var keyPathsByKey: [String: AnyKeyPath] {
///         ["age": \Person.age, "address": \Person.address]
///     }
/// }
///
/// try person.setValue(18, forKey: "age")
/// print(try person.value(forKeyPath: "address.city") ?? "nowhere")     // prints "nowhere"
/// ```
///
/// A subclass overrides the list and adds to its superclass's:
///
/// ```swift
/// final class Student: Person {
///     @Observed var school = ""
///
///     override class var keyPathsByKey: [String: AnyKeyPath] {
///         super.keyPathsByKey.merging(["school": \Student.school]) { $1 }
///     }
/// }
/// ```
///
/// The other requirements are hooks with default implementations. To let subclasses override one, implement it in the
/// class that conforms. All methods read and write properties, so they need the protection of a plain access: see
/// ``/KeyValueObserving/Observed``.
///
/// The rules are those of Apple's Key-Value Coding Programming Guide, except that errors are thrown;
/// the page *By name* gives them in full.
public protocol KeyValueCodable: _KeyValueNaming {
    /// The properties accessible by name.
    ///
    /// Key paths start at this class or one it inherits from; any other key path traps. The list is read once for each
    /// class, by the thread that first needs it, and kept. No lock is held meanwhile: see the page *Threads, actors and tasks*.
    static var keyPathsByKey: [String: AnyKeyPath] { get }

    /// Whether `_key` and `_isKey` are also looked for if there is no `key`.
    ///
    /// True by default, as in Cocoa, where this is direct access to instance variables. The library reads it once for
    /// each class.
    static var accessesStorageDirectly: Bool { get }

    /// Returns the value of a key that was not found.
    ///
    /// Throws ``KeyValueCodingError/Code/undefinedKey`` by default. Implement it to supply values for keys that are not
    /// properties.
    ///
    /// - Parameter key: The key that was not found.
    /// - Returns: Its value.
    /// - Throws: ``KeyValueCodingError``, or another error that the class chooses, if it does not know the key either.
    func value(forUndefinedKey key: String) throws -> Any?

    /// Sets the value of a key that was not found.
    ///
    /// Throws ``KeyValueCodingError/Code/undefinedKey`` by default.
    ///
    /// - Parameters:
    ///   - value: The value to be set.
    ///   - key: The key that was not found.
    /// - Throws: ``KeyValueCodingError``, or another error that the class chooses, if it does not know the key either.
    func setValue(_ value: Any?, forUndefinedKey key: String) throws

    /// Handles nil for a property that is not optional.
    ///
    /// Throws ``KeyValueCodingError/Code/nilForNonOptional`` by default. Implement it to set the value that nil stands
    /// for, such as 0.
    ///
    /// - Parameter key: The key of the property.
    /// - Throws: ``KeyValueCodingError``, or another error that the class chooses, if nil stands for nothing.
    func setNilValue(forKey key: String) throws

    /// Checks a value, and may replace it by a better one.
    ///
    /// Accepts everything by default. The library calls it only for ``KeyValueCodable/validateValue(_:forKeyPath:)``,
    /// and never when a value is set. Call it yourself before you set a value that comes from outside.
    ///
    /// ```swift
    /// func validateValue(_ value: inout Any?, forKey key: String) throws {
    ///     guard key == "age", let age = value as? Int else { return }
    ///     guard age >= 0 else {
    ///         throw KeyValueCodingError(
    ///             code: .invalidValue, key: key, objectType: Person.self, reason: "\(age) is less than 0")
    ///     }
    ///     value = min(age, 150)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value, which may be replaced.
    ///   - key: The key of the value.
    /// - Throws: ``KeyValueCodingError/Code/invalidValue``, or another error that the class chooses, if it does not
    ///   accept the value.
    func validateValue(_ value: inout Any?, forKey key: String) throws
}

extension KeyValueCodable {
    /// `_key` and `_isKey` are looked for.
    public static var accessesStorageDirectly: Bool { true }

    /// Throws ``KeyValueCodingError/Code/undefinedKey``, with the keys that resemble it.
    public func value(forUndefinedKey key: String) throws -> Any? {
        throw KeyTable.of(type(of: self)).undefinedKey(key)
    }

    /// Throws ``KeyValueCodingError/Code/undefinedKey``, with the keys that resemble it.
    public func setValue(_ value: Any?, forUndefinedKey key: String) throws {
        throw KeyTable.of(type(of: self)).undefinedKey(key)
    }

    /// Throws ``KeyValueCodingError/Code/nilForNonOptional``.
    public func setNilValue(forKey key: String) throws {
        guard case .property(let property) = KeyTable.of(type(of: self)).writable(key) else {
            throw KeyValueCodingError(code: .nilForNonOptional, key: key, objectType: type(of: self))
        }
        throw KeyValueCodingError.nilForNonOptional(at: key, of: type(of: self), wanted: property.valueType)
    }

    /// Accepts the value.
    public func validateValue(_ value: inout Any?, forKey key: String) throws {}

    /// Records the names that the class gives its properties.
    public static func _noteNames() { KeyTable.noteNames(of: self) }
}
