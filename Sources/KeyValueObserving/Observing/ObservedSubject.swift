// What is observed of an object.

/// What is observed of an object: a key path, or what an expression reads.
enum ObservedSubject<Object: KeyValueObservable, Value>: @unchecked Sendable {
    /// A key path, with those that it was put together from, if it was, and what reads it where the types are known.
    case keyPath(KeyPath<Object, Value>, parts: [AnyKeyPath]? = nil, reading: WatchReader? = nil)
    case expression((Object) -> Value, ExpressionPlace)

    /// An expression that is observed at a place.
    static func reading(_ expression: @escaping (Object) -> Value, _ fileID: StaticString, _ line: UInt) -> Self {
        .expression(expression, ExpressionPlace(fileID, line))
    }

    /// The key path that changes carry.
    var keyPath: PartialKeyPath<Object> {
        switch self {
        case .keyPath(let keyPath, _, _): keyPath
        case .expression: \Object.self
        }
    }

    /// What it is called, for messages.
    var name: String {
        switch self {
        case .keyPath(let keyPath, _, _): PropertyNames.text(of: keyPath)
        case .expression(_, let place): place.name
        }
    }

    /// The same for what has not been registered yet; traps if it is a key path that cannot be observed.
    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String {
        switch self {
        case .keyPath(let keyPath, _, _): Registering.name(of: keyPath, in: object, fileID, line)
        case .expression(_, let place): place.name
        }
    }

    /// What identifies it among what a controller observes of the object; nil if its text does.
    func target(of object: Object) -> ObjectIdentifier? {
        if case .keyPath(let keyPath, _, _) = self {
            Registering.identity(ofAny: keyPath, on: object)
        } else {
            nil
        }
    }

    /// What stands for the key path where that is listed, if it is not its own name.
    var text: String? {
        if case .expression(_, let place) = self { place.name } else { nil }
    }

    func value(of object: Object) -> Value {
        switch self {
        case .keyPath(let keyPath, _, _): object[keyPath: keyPath]
        case .expression(let read, _): read(object)
        }
    }

    /// Reads it for observers.
    var reader: WatchReader {
        if case .keyPath(_, _, let read?) = self { return read }
        // It is given the objects that registrations are made on.
        return { BoxedValue.holding(value(of: unsafe unsafeDowncast($0, to: Object.self)), in: $1) }
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

/// Where an expression is observed; it has no other name.
struct ExpressionPlace: Sendable {
    let fileID: StaticString
    let line: UInt

    init(_ fileID: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    var name: String { "the expression at \(fileID):\(line)" }
}
