// A registration by name that is delivered elsewhere.
import KeyValueObserving

/// What a registration by name that is delivered elsewhere is made with, beside the object and the delivery.
struct NamedElsewhereRequest {
    /// The key path as it was given.
    let text: String
    let recipient: String
    let options: KeyValueObservingOptions
    let policy: KeyValueBufferingPolicy
    let fileID: StaticString
    let line: UInt

    init(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy, at text: String,
        _ fileID: StaticString, _ line: UInt
    ) {
        self.text = text
        self.recipient = recipient
        self.options = options
        self.policy = policy
        self.fileID = fileID
        self.line = line
    }

    /// The same at a key path of an object; traps if it cannot be fulfilled.
    func typed<Object: KeyValueObservable, Value>(
        at keyPath: KeyPath<Object, Value>, of object: Object
    ) -> ElsewhereRequest {
        ElsewhereRequest(to: recipient, options, policy, at: keyPath, of: object, fileID, line, text: text)
    }
}

extension KeyValueCodable {
    /// The key path of a request; throws if it cannot be observed with values of a type.
    func path<Value: Sendable>(of request: NamedElsewhereRequest, as type: Value.Type) throws -> NamedPath {
        let path = try KeyPathObserving(text: request.text).path(
            from: self, for: request.options.subtracting(.distinct))
        try path.check(self, as: type, request.text)
        guard !request.options.contains(.distinct) || Equality<Value>() != nil else {
            throw KeyPathObserving(text: request.text).isNotComparable(type, of: self)
        }
        return path
    }
}
