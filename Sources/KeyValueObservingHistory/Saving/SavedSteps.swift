// The steps of a manager as they are saved.

/// The steps of a manager as they are saved.
///
/// ```json
/// {"version": 1, "redo": [], "undo": [{"name": "Paste", "properties": [{"object": "list", "key": "items", "count": 2,
///     "changes": [{"kind": "insertion", "indexes": [[0, 2]], "new": ["milk", "bread"]}]}]}]}
/// ```
struct SavedSteps: Codable {
    private static let knownVersion = 1

    /// The oldest first; both.
    let undo: [SavedStep]
    let redo: [SavedStep]

    init(undo: [UndoStep], redo: [UndoStep]) {
        self.undo = undo.map(SavedStep.init)
        self.redo = redo.map(SavedStep.init)
    }

    private enum Key: CodingKey { case version, undo, redo }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // What another version says may be something else.
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.knownVersion else {
            throw KeyValueUndoError(.unknownVersion, expected: "\(Self.knownVersion)", found: "\(version)")
        }
        undo = try container.decode([SavedStep].self, forKey: .undo)
        redo = try container.decode([SavedStep].self, forKey: .redo)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.knownVersion, forKey: .version)
        try container.encode(undo, forKey: .undo)
        try container.encode(redo, forKey: .redo)
    }
}

/// One step.
struct SavedStep: Codable {
    let step: UndoStep

    init(_ step: UndoStep) { self.step = step }

    private enum Key: CodingKey { case name, properties }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let parts = try container.decode([SavedPart].self, forKey: .properties)
        step = UndoStep(named: try container.decodeIfPresent(String.self, forKey: .name), parts.map(\.part))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(step.name, forKey: .name)
        let parts = step.parts.filter { $0.property.isTracked }
        try container.encode(parts.map(SavedPart.init), forKey: .properties)
    }
}

/// The changes of one property in a step.
struct SavedPart: Codable {
    let part: any AnyStepPart

    init(_ part: any AnyStepPart) { self.part = part }

    enum Key: CodingKey { case object, key, count, changes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let name = try container.decode(String.self, forKey: .object)
        let key = try container.decode(String.self, forKey: .key)
        guard let lookup = decoder.userInfo[PropertyLookup.key] as? PropertyLookup else {
            throw KeyValueUndoError(.invalidData, found: "it is not decoded for a manager")
        }
        part = try lookup.property(key, ofObjectNamed: name).decodePart(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try part.encode(to: encoder) }
}

/// Finds the properties that saved steps name, while they are decoded.
///
/// A decoder takes only what is `Sendable`. It is used on the thread that decodes, before the call of `replay` ends.
struct PropertyLookup: @unchecked Sendable {
    static var key: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "KeyValueObservingHistory.properties") else {
            preconditionFailure("every text is a key")
        }
        return key
    }

    private let objects: TrackedObjects

    init(_ objects: TrackedObjects) { self.objects = objects }

    func property(_ key: String, ofObjectNamed name: String) throws -> any AnyTrackedProperty {
        guard let object = objects.object(named: name) else { throw KeyValueUndoError(.unknownObject, name) }
        guard let property = object.properties.first(where: { $0.key == key }) else {
            throw KeyValueUndoError(.unknownKey, object.type, key, found: name)
        }
        return property
    }
}
