// The steps of a manager as they are saved.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The steps of a manager as they are saved.
///
/// ```json
/// {"version": 1, "redo": [], "undo": [{"name": "Paste", "properties": [{"object": "list", "key": "items", "count": 2,
///     "changes": [{"kind": "insertion", "indexes": [[0, 2]], "new": ["milk", "bread"]}]}]}]}
/// ```
struct SavedSteps: Codable {
    private static let knownVersion = 1
    // JSON has no such numbers.
    private static let (infinity, minusInfinity, nan) = ("inf", "-inf", "nan")

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: minusInfinity, nan: nan)
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: minusInfinity, nan: nan)
        return decoder
    }

    /// A value as it is when it is read back.
    static func copy<Value: Codable>(of value: Value) throws -> Value {
        try decoder.decode(Value.self, from: encoder.encode(value))
    }

    /// The oldest first; both.
    let undo: [UndoStep]
    let redo: [UndoStep]

    init(undo: [UndoStep], redo: [UndoStep]) { (self.undo, self.redo) = (undo, redo) }

    private enum Key: CodingKey { case version, undo, redo }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // What another version says may be something else.
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.knownVersion else {
            throw KeyValueUndoError(code: .unknownVersion, expected: "\(Self.knownVersion)", found: "\(version)")
        }
        undo = try container.decode([UndoStep].self, forKey: .undo)
        redo = try container.decode([UndoStep].self, forKey: .redo)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.knownVersion, forKey: .version)
        try container.encode(undo, forKey: .undo)
        try container.encode(redo, forKey: .redo)
    }
}

extension UndoStep: Codable {
    private enum Key: CodingKey { case name, properties }
    /// What is saved of the changes of one property.
    enum PropertyKey: CodingKey { case object, key, count, changes }

    convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(named: try container.decodeIfPresent(String.self, forKey: .name))
        var list = try container.nestedUnkeyedContainer(forKey: .properties)
        while !list.isAtEnd {
            let decoder = try list.superDecoder()
            let container = try decoder.container(keyedBy: PropertyKey.self)
            let name = try container.decode(String.self, forKey: .object)
            let key = try container.decode(String.self, forKey: .key)
            try PropertyLookup.of(decoder).property(key, ofObjectNamed: name).decode(from: decoder, into: self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(name, forKey: .name)
        var list = container.nestedUnkeyedContainer(forKey: .properties)
        for property in properties where property.isTracked && property.isChanged(in: id) {
            try property.encode(id, to: list.superEncoder())
        }
    }
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

    static func of(_ decoder: any Decoder) throws -> Self {
        guard let lookup = decoder.userInfo[key] as? Self else {
            throw KeyValueUndoError(code: .invalidData, found: "it is not decoded for a manager")
        }
        return lookup
    }

    func property(_ key: String, ofObjectNamed name: String) throws -> any AnyTrackedProperty {
        guard let object = objects.object(named: name) else {
            throw KeyValueUndoError(code: .unknownObject, objectType: name)
        }
        guard let property = objects.property(key, of: object) else {
            throw KeyValueUndoError(code: .unknownKey, objectType: object.type, key: key, found: name)
        }
        return property
    }
}
