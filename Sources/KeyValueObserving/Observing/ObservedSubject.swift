// The subject of a registration.

/// The subject of a registration on an object: a key path or an expression.
enum ObservedSubject<Object: KeyValueObservable, Value>: @unchecked Sendable {
    /// A key path, with the parts that it was composed of, if any, and a function that reads it with its types.
    case keyPath(KeyPath<Object, Value>, parts: [AnyKeyPath]? = nil, reading: WatchReader? = nil)
    /// An expression, named after the place that observes it.
    case expression((Object) -> Value, name: String)

    static func reading(_ expression: @escaping (Object) -> Value, _ fileID: StaticString, _ line: UInt) -> Self {
        .expression(expression, name: "the expression at \(fileID):\(line)")
    }

    private var keyPath: KeyPath<Object, Value>? { if case .keyPath(let keyPath, _, _) = self { keyPath } else { nil } }

    /// The text in listings, if it is not the name of a key path.
    var text: String? { if case .expression(_, let name) = self { name } else { nil } }

    /// The name, for messages.
    var name: String {
        switch self {
        case .keyPath(let keyPath, _, _): PropertyNames.text(of: keyPath)
        case .expression(_, let name): name
        }
    }

    /// The name before the registration; traps for a key path that cannot be observed.
    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String {
        keyPath.map { Registering.name(of: $0, in: object, fileID, line) } ?? name
    }

    /// Its identity among the controller's registrations on the object; nil if its text is the identity.
    func target(of object: Object) -> ObjectIdentifier? {
        keyPath.flatMap { Registering.identity(ofAny: $0, on: object) }
    }

    func value(of object: Object) -> Value {
        switch self {
        case .keyPath(let keyPath, _, _): object[keyPath: keyPath]
        case .expression(let read, _): read(object)
        }
    }

    /// Reads the value for observers.
    var reader: WatchReader {
        // The function receives only objects that registrations are made on.
        switch self {
        case .keyPath(_, _, let read?): read
        case .keyPath(let keyPath, _, nil):
            { BoxedValue.holding(unsafe unsafeDowncast($0, to: Object.self)[keyPath: keyPath], in: $1) }
        case .expression(let read, _): { BoxedValue.holding(read(unsafe unsafeDowncast($0, to: Object.self)), in: $1) }
        }
    }

    /// Records a registration on an object.
    func record(
        _ registration: Registration, _ request: borrowing RegistrationRequest, of object: Object
    ) -> Registering.Recorded {
        switch self {
        case .keyPath(let keyPath, let parts, _):
            Registering.record(registration, request, at: keyPath, of: object, parts: parts, reading: reader)
        case .expression:
            Registering.record(registration, request, ofExpressionIn: object, Value.self, reading: reader)
        }
    }
}
