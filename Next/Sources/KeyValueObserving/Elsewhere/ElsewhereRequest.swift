// What is asked for when a registration is made that is delivered elsewhere.

/// A registration to be made that is delivered elsewhere.
package struct ElsewhereRequest {
    let recipient: String
    let options: KeyValueObservingOptions
    let policy: KeyValueBufferingPolicy
    let fileID: StaticString
    let line: UInt
    /// The key path as it was given, if that was a string.
    let text: String?
    /// Whether the inbox is for several key paths.
    let isOfSeveral: Bool

    /// Creates a request; traps if it cannot be fulfilled.
    ///
    /// - Parameters:
    ///   - recipient: Where it is delivered, in words that are no name of a type. So its call site is never that of a
    ///     registration of another kind.
    ///   - options: What is asked for.
    ///   - policy: How many changes may wait.
    ///   - keyPath: Where it is to be made.
    ///   - object: The object.
    ///   - fileID: Where it is made.
    ///   - line: Where it is made.
    ///   - text: The key path as it was given, if that was a string.
    ///   - isOfSeveral: Whether the key path is one of several that share an inbox.
    package init<Object: KeyValueObservable, Value>(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        at keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt,
        text: String? = nil, isOfSeveral: Bool = false
    ) {
        self.init(
            to: recipient, options, policy, of: .keyPath(keyPath), in: object, fileID, line, text: text,
            isOfSeveral: isOfSeveral)
    }

    /// The same for a key path or an expression.
    init<Object: KeyValueObservable, Value>(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        of observed: ObservedSubject<Object, Value>, in object: Object, _ fileID: StaticString, _ line: UInt,
        text: String? = nil, isOfSeveral: Bool = false
    ) {
        var subject: String {
            "\(text ?? observed.name(in: object, fileID, line)) of \(TypeName.of(object))"
        }
        guard !options.contains(.prior) else {
            fatalError(
                """
                \(subject) cannot be observed with .prior by a \(recipient): when it is called, the change has been \
                made. Leave out .prior, or use observe(_:options:changeHandler:), which calls its handler before \
                the change.
                """, file: fileID, line: line)
        }
        if let bound = policy.bound, bound < 1 {
            fatalError(
                """
                \(subject) cannot be observed with the buffering policy \(policy): at least 1 change must be able to \
                wait. Use .newest(1) or .oldest(1), or .unbounded.
                """, file: fileID, line: line)
        }
        self.recipient = recipient
        self.options = options
        self.policy = policy
        self.fileID = fileID
        self.line = line
        self.text = text
        self.isOfSeveral = isOfSeveral
    }
}
