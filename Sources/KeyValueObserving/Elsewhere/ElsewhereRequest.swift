// What is asked for when a registration is made that is delivered elsewhere.

/// A registration to be made that is delivered elsewhere.
struct ElsewhereRequest {
    let recipient: String
    let options: KeyValueObservingOptions
    let policy: KeyValueBufferingPolicy
    let fileID: StaticString
    let line: UInt
    /// Whether the inbox is for several key paths.
    let isOfSeveral: Bool

    /// Creates a request; traps if it cannot be fulfilled.
    ///
    /// - Parameters:
    ///   - recipient: Where it is delivered, in words that are no name of a type. So its call site is never that of a
    ///     registration of another kind.
    ///   - options: What is asked for.
    ///   - policy: How many changes may wait.
    ///   - sources: What is observed.
    ///   - object: The object.
    ///   - fileID: Where it is made.
    ///   - line: Where it is made.
    init<Object: KeyValueObservable, Kept>(
        to recipient: String, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        of sources: [any InboxSource<Object, Kept>], in object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        var subject: String { "\(sources[0].name(in: object, fileID, line)) of \(TypeName.of(object))" }
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
        isOfSeveral = sources.count > 1
    }
}
