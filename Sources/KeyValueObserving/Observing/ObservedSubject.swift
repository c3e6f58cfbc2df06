// What is observed of an object.

/// What is observed of an object: a key path, or what an expression reads.
enum ObservedSubject<Object: KeyValueObservable, Value>: @unchecked Sendable {
    /// A key path, with those that it was put together from, if it was.
    case keyPath(KeyPath<Object, Value>, parts: [AnyKeyPath]? = nil)
    case expression((Object) -> Value, ExpressionPlace)

    /// The key path that changes carry.
    var keyPath: PartialKeyPath<Object> {
        switch self {
        case .keyPath(let keyPath, _): keyPath
        case .expression: \Object.self
        }
    }

    /// What it is called, for messages.
    var name: String {
        switch self {
        case .keyPath(let keyPath, _): PropertyNames.text(of: keyPath)
        case .expression(_, let place): place.name
        }
    }

    /// The same for what has not been registered yet; traps if it is a key path that cannot be observed.
    func name(in object: Object, _ fileID: StaticString, _ line: UInt) -> String {
        switch self {
        case .keyPath(let keyPath, _): RegistrationTarget.name(of: keyPath, in: object, fileID, line)
        case .expression(_, let place): place.name
        }
    }

    /// What identifies it among what a controller observes of the object; nil if its text does.
    func target(of object: Object) -> ObjectIdentifier? {
        if case .keyPath(let keyPath, _) = self {
            RegistrationTarget.identity(of: keyPath, on: object, for: .changing)
        } else {
            nil
        }
    }

    /// What stands for the key path where that is listed, if it is not its own name.
    var text: String? {
        if case .expression(_, let place) = self { place.name } else { nil }
    }

    func value(of object: Object) -> Value {
        ThisThread.evaluating {
            switch self {
            case .keyPath(let keyPath, _): object[keyPath: keyPath]
            case .expression(let read, _): read(object)
            }
        }
    }

    /// The same, kept for observers.
    func boxedValue(of object: Object) -> BoxedValue { .holding(value(of: object)) }

    /// Records a registration on an object.
    func record(
        _ registration: Registration, _ request: borrowing RegistrationRequest, of object: Object
    ) -> any RegistrationKeeper {
        let keeper: any RegistrationKeeper =
            switch self {
            case .keyPath(let keyPath, let parts):
                RegistrationTarget.record(registration, request, at: keyPath, of: object, parts: parts) {
                    boxedValue(of: $0)
                }
            case .expression:
                RegistrationTarget.record(registration, request, ofExpressionIn: object, of: Value.self) {
                    boxedValue(of: $0)
                }
            }
        if _slowPath(EngineTrace.isOn) { registration.traceRegistration(on: object) }
        return keeper
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
