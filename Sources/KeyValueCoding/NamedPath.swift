// Observing a key path that is a string.
import KeyValueObserving

/// The key path of a string.
///
/// If the tables of the classes along the path give the types, it is the equivalent typed key path, with the same
/// changes. Otherwise, it is the key path of a subscript that evaluates the string.
struct NamedPath {
    let text: String
    private(set) var keyPath: AnyKeyPath
    /// The key paths that it was composed of.
    private(set) var parts: [AnyKeyPath]

    /// Creates the path that evaluates a string.
    private init<Object: KeyValueCodable>(evaluating text: String, on object: Object) {
        (self.text, keyPath, parts) = (text, \Object.[valueAtKeyPath: text], [\Object.[valueAtKeyPath: text]])
    }

    /// Creates the path of a string, as a registration would have it, without evaluating it.
    init(_ text: String, from object: any KeyValueCodable) {
        let evaluating = Self(evaluating: text, on: object)
        self = (try? evaluating.typed(from: object)) ?? evaluating
    }

    /// Creates the path of a string to observe, and evaluates it once to check that all keys are known.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - object: The object to observe.
    ///   - options: The options of the registration.
    /// - Throws: ``KeyValueCodingError`` if a key that exists now is unknown, if nothing observable is read, or if
    ///   values cannot be compared as requested.
    init(observing text: String, of object: any KeyValueCodable, _ options: KeyValueObservingOptions) throws {
        _ = try Tracking.suspended {
            Result { try KeyPathReading(text: text, refusesCollections: true).value(from: object) }
        }.get()
        self = try Self(evaluating: text, on: object).typed(from: object)
        let check = keyPath.accept(Check(object: object))
        guard check?.isObservable ?? false else {
            throw KeyValueCodingError(code: .notObservable, key: text, objectType: type(of: object))
        }
        if options.contains(.distinct), !(check?.isComparable ?? false) {
            throw KeyValueCodingError(
                code: .typeMismatch, key: text, objectType: type(of: object),
                explanation: """
                    \(TypeName.of(object)) cannot be observed at "\(text)" with .distinct: values of \
                    \(TypeName.text(of: valueType)) cannot be compared
                    """)
        }
    }

    /// The type of the value, without an optional around it.
    private var valueType: Any.Type {
        let type = type(of: keyPath).valueType
        return (type as? any OptionalValue.Type)?.wrappedType ?? type
    }

    /// The typed path, if the tables of the classes along it have all keys, and otherwise this one.
    ///
    /// A collection along the path is refused if its type is known, even if it is nil now.
    private func typed(from object: any KeyValueCodable) throws -> NamedPath {
        try KeyValueCodingError.checkLength(of: text, from: type(of: object))
        var path = self
        path.parts = []
        for component in text.split(separator: ".", omittingEmptySubsequences: false) {
            let key = String(component)
            guard !key.hasPrefix("@") else { return self }
            let owner = path.parts.isEmpty ? type(of: object) : path.valueType
            guard !(owner is any CodedCollection.Type) else {
                throw KeyValueCodingError.throughElements(key, of: owner)
            }
            guard let owner = owner as? any KeyValueCodable.Type, let next = KeyTable.of(owner).readable(key)?.keyPath,
                let whole = path.parts.isEmpty
                    ? next
                    : path.keyPath.appending(path: next)
                        ?? path.keyPath.accept(Continuing(next: next)) ?? nil,
                type(of: whole).rootType is any KeyValueObservable.Type
            else { return self }
            path.keyPath = whole
            path.parts.append(next)
        }
        return path
    }
}

/// Uses a key path with its types.
protocol KeyPathVisitor<Result> {
    associatedtype Result

    func visit<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>) -> Result
}

extension AnyKeyPath {
    /// The result of a visitor for this key path; nil if it starts at a class that cannot be observed.
    func accept<Result>(_ visitor: some KeyPathVisitor<Result>) -> Result? {
        func openRoot<Root: KeyValueObservable>(_: Root.Type) -> Result? {
            func openValue<Value>(_: Value.Type) -> Result? {
                (self as? KeyPath<Root, Value>).map { visitor.visit($0) }
            }
            return _openExistential(Self.valueType, do: openValue)
        }
        return (Self.rootType as? any KeyValueObservable.Type).flatMap { openRoot($0) }
    }
}

/// Whether a key path can be observed, and its values compared.
private struct Check: KeyPathVisitor {
    let object: AnyObject

    func visit<Root: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) -> (isObservable: Bool, isComparable: Bool) {
        let root = unsafe unsafeDowncast(object, to: Root.self)
        return (Registering.isObservable(keyPath, of: root), Equality<Value>() != nil)
    }
}

/// Appends another key path, if this one ends at an optional or at an object of a subclass.
private struct Continuing: KeyPathVisitor {
    let next: AnyKeyPath

    func visit<Root: KeyValueObservable, Value>(_ head: KeyPath<Root, Value>) -> AnyKeyPath? {
        next.accept(After(head: head))
    }

    private struct After<Start: KeyValueObservable, Middle>: KeyPathVisitor {
        let head: KeyPath<Start, Middle>

        func visit<Root: KeyValueObservable, Value>(_ next: KeyPath<Root, Value>) -> AnyKeyPath {
            func flatten<Wrapping: OptionalValue>(_: Wrapping.Type) -> AnyKeyPath? {
                (next as? KeyPath<Root, Wrapping.Wrapped?>).map { \Start.[head, flattening: $0] }
            }
            return (Value.self as? any OptionalValue.Type).flatMap { flatten($0) } ?? \Start.[head, then: next]
        }
    }
}

extension KeyValueObservable {
    /// The value of a key path that starts at the end of another one, at an object or nil.
    fileprivate subscript<Middle, Next: AnyObject, Value>(
        head: KeyPath<Self, Middle>, then next: KeyPath<Next, Value>
    ) -> Value? {
        (self[keyPath: head] as? Next)?[keyPath: next]
    }

    /// The optional value of a key path that starts at the end of another one, at an object or nil.
    fileprivate subscript<Middle, Next: AnyObject, Value>(
        head: KeyPath<Self, Middle>, flattening next: KeyPath<Next, Value?>
    ) -> Value? {
        (self[keyPath: head] as? Next)?[keyPath: next]
    }
}

extension KeyValueCodable {
    /// The value at a key path, for observers; nil if it cannot be evaluated.
    ///
    /// Errors are reported once for each change, by the code that follows the value.
    fileprivate subscript(valueAtKeyPath path: String) -> Any? {
        do {
            return try KeyPathReading(text: path, refusesCollections: true).value(from: self)
        } catch {
            guard ThisThread.isTracking else { return nil }
            KeyValueDiagnostics.report(error, key: path, of: self)
            return nil
        }
    }
}
