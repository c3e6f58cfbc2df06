// What one of the registrations that share an inbox needs.

/// What a registration needs whose changes go into an inbox.
struct InboxLane<Value: Sendable>: Sendable {
    /// Whether changes of elements are to come with the whole value after them.
    let needsWholes: Bool
    /// Whether to keep the last whole value, in case a change of elements follows.
    let tracksWhole: Bool
    /// What was delivered last, where only what differs from that is.
    let distinct: DistinctValues<Value>?

    /// - Parameters:
    ///   - type: The type of the values of the key path.
    ///   - policy: How many changes may wait.
    ///   - options: What the handler asked for.
    ///   - isOfWholes: Whether each change is to have the whole value.
    ///   - distinct: What was delivered last, where only what differs from that is.
    init(
        of type: Any.Type, _ policy: KeyValueBufferingPolicy, _ options: KeyValueObservingOptions,
        ofWholes isOfWholes: Bool, distinct: DistinctValues<Value>?
    ) {
        let isBounded = policy.bound != nil
        needsWholes = isOfWholes || distinct != nil || isBounded && !options.isDisjoint(with: [.old, .new])
        tracksWhole = isBounded && options.contains(.old) && Self.isOfCollections(type)
        self.distinct = distinct
    }

    /// Whether values of a type may change element by element.
    private static func isOfCollections(_ type: Any.Type) -> Bool {
        let type = (type as? any OptionalValue.Type)?.innermostType ?? type
        return type is any Collection.Type
    }

    /// What must be read, beside what the handler is called with.
    var needs: KeyValueObservingOptions {
        var needs: KeyValueObservingOptions = tracksWhole || distinct != nil ? .new : []
        if needsWholes { needs.insert(.whole) }
        return needs
    }
}

extension OptionalValue {
    /// What is in this optional and those within.
    fileprivate static var innermostType: Any.Type {
        (wrappedType as? any OptionalValue.Type)?.innermostType ?? wrappedType
    }
}
