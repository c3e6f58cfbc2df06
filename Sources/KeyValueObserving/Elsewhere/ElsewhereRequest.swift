// What is asked for when a registration is made that is delivered elsewhere.

/// What is delivered of each change.
struct InboxContent {
    let options: KeyValueObservingOptions
    /// Whether each change is to have the whole value.
    let isOfWholes: Bool

    /// Changes as they were made.
    static func changes(_ options: KeyValueObservingOptions) -> Self { Self(options: options, isOfWholes: false) }

    /// The old and the new value, where these differ.
    static func values(_ isInitial: Bool) -> Self { Self(options: .ofValues(isInitial), isOfWholes: true) }
}

/// A registration to be made that is delivered elsewhere.
struct ElsewhereRequest {
    /// Where it is delivered, in words.
    let recipient: String
    let content: InboxContent
    let policy: KeyValueBufferingPolicy
    let fileID: StaticString
    let line: UInt

    var options: KeyValueObservingOptions { content.options }

    /// Creates a request; traps if it cannot be fulfilled.
    init<Object, Kept>(
        to recipient: String, _ content: InboxContent, _ policy: KeyValueBufferingPolicy,
        of sources: InboxSources<Object, Kept>, in object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        var subject: String { "\(sources.all[0].name(in: object, fileID, line)) of \(TypeName.of(object))" }
        guard !content.options.contains(.prior) else {
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
        self.content = content
        self.policy = policy
        self.fileID = fileID
        self.line = line
    }
}
