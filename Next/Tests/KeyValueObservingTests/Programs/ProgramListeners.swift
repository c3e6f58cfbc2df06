// Listeners of a random program to whom changes are delivered later: actors and sequences.
import KeyValueObserving

/// An actor and a sequence at several key paths, each beside a handler that is called at once.
final class ProgramListeners {
    private var listeners: [any ProgramListening] = []

    // The model expects that somebody observes just these: see `ProgramReplica`.
    init<Object: KeyValueObservable>(
        of objects: [Object], items: KeyPath<Object, [Int]>, members: KeyPath<Object, Set<Int>>
    ) {
        for object in objects {
            listeners.append(ProgramListener(at: items, of: object))
            listeners.append(ProgramListener(at: members, of: object))
        }
    }

    /// Waits until everything has arrived.
    ///
    /// - Returns: What did not arrive as it was delivered at once; nil if all did.
    func failure() async -> String? {
        for listener in listeners {
            if let failure = await listener.failure() { return failure }
        }
        return nil
    }
}

private protocol ProgramListening {
    func failure() async -> String?
}

private final class ProgramListener<Value: Sendable>: ProgramListening {
    private actor Recipient {
        private(set) var changes: [String] = []

        func note(_ change: String) { changes.append(change) }
    }

    private var atOnce: [String] = []
    private let recipient = Recipient()
    private var iterator: KeyValueChanges<Value>.AsyncIterator
    private var tokens: [KeyValueObservation] = []
    private let keyPath: AnyKeyPath

    init<Object: KeyValueObservable>(at keyPath: KeyPath<Object, Value>, of object: Object) {
        self.keyPath = keyPath
        let options: KeyValueObservingOptions = [.old, .new]
        iterator = object.changes(of: keyPath, options: options).makeAsyncIterator()
        tokens.append(
            object.observe(keyPath, options: options) { [unowned self] in atOnce.append($1.description) })
        tokens.append(object.observe(keyPath, options: options, on: recipient, changeHandler: Self.note))
    }

    private static func note(_ recipient: isolated Recipient, _ change: KeyValueObservedChange<Value>) {
        recipient.note(change.description)
    }

    func failure() async -> String? {
        var taken: [String] = []
        while taken.count < atOnce.count, let change = await iterator.next() { taken.append(change.description) }
        while await recipient.changes.count < atOnce.count { await Task.yield() }
        // What is too much would come now.
        tokens = []
        let received = await recipient.changes
        if taken == atOnce, received == atOnce { return nil }
        return """
            \(keyPath)
            at once     \(atOnce)
            an actor    \(received)
            a sequence  \(taken)
            """
    }
}
