// The steps of a manager as they are saved.

import KeyValueObserving

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
    /// The objects that the steps bring into lists, while they are saved; a manager that replays makes them.
    private let objects: [NewObject]

    init(undo: [UndoStep], redo: [UndoStep], objects: [NewObject]) {
        (self.undo, self.redo, self.objects) = (undo, redo, objects)
    }

    private enum Key: CodingKey { case version, undo, redo, objects }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // What another version says may be something else.
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.knownVersion else {
            throw KeyValueUndoError(code: .unknownVersion, expected: "\(Self.knownVersion)", found: "\(version)")
        }
        objects = []
        if container.contains(.objects) {
            var list = try container.nestedUnkeyedContainer(forKey: .objects)
            while !list.isAtEnd {
                let decoder = try list.superDecoder()
                try PropertyLookup.property(decoder).decodeNew(from: decoder)
            }
        }
        undo = try container.decode([UndoStep].self, forKey: .undo)
        redo = try container.decode([UndoStep].self, forKey: .redo)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.knownVersion, forKey: .version)
        try container.encode(undo, forKey: .undo)
        try container.encode(redo, forKey: .redo)
        if objects.isEmpty { return }
        var list = container.nestedUnkeyedContainer(forKey: .objects)
        for (object, property) in objects { try property.encode(new: object, to: list.superEncoder()) }
    }
}

extension UndoStep: Codable {
    private enum Key: CodingKey { case name, properties }
    /// What is saved of the changes of one property.
    enum PropertyKey: CodingKey { case object, key, count, changes, name, value }

    convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(named: try container.decodeIfPresent(String.self, forKey: .name))
        var list = try container.nestedUnkeyedContainer(forKey: .properties)
        while !list.isAtEnd {
            let decoder = try list.superDecoder()
            try PropertyLookup.property(decoder).decode(from: decoder, into: self)
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

/// Finds the objects and properties that saved steps name, while they are encoded and decoded.
///
/// A coder takes only what is `Sendable`. It is used on the thread that codes, before the call of `save` or `replay` ends.
final class PropertyLookup: @unchecked Sendable {
    static var key: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "KeyValueObservingHistory.properties") else {
            preconditionFailure("every text is a key")
        }
        return key
    }

    let manager: KeyValueUndoManager
    /// The objects that were made, by what they are tracked as.
    private(set) var made: [ObjectIdentifier: AnyObject] = [:]

    init(_ manager: KeyValueUndoManager) { self.manager = manager }

    static func of(_ userInfo: [CodingUserInfoKey: Any]) throws -> PropertyLookup {
        guard let lookup = userInfo[key] as? PropertyLookup else {
            throw KeyValueUndoError(code: .invalidData, found: "it is not coded for a manager")
        }
        return lookup
    }

    /// The property that an entry of saved steps names.
    static func property(_ decoder: any Decoder) throws -> any AnyTrackedProperty {
        let container = try decoder.container(keyedBy: UndoStep.PropertyKey.self)
        let (name, tracked) = try (container.decode(String.self, forKey: .object), of(decoder.userInfo).manager.tracked)
        let key = try container.decode(String.self, forKey: .key)
        guard let object = tracked.object(named: name) else {
            throw KeyValueUndoError(code: .unknownObject, objectType: name)
        }
        guard let property = tracked.property(key, of: object) else {
            throw KeyValueUndoError(code: .unknownKey, objectType: object.type, key: key, found: name)
        }
        return property
    }

    func object(named name: String) throws -> AnyObject {
        guard let object = manager.tracked.object(named: name)?.object else {
            throw KeyValueUndoError(code: .unknownObject, objectType: name)
        }
        return object
    }

    /// Notes an object that was made.
    func add(_ object: AnyObject, named name: String) {
        let owner = manager.tracked.object(for: object, type: TypeName.of(object))
        manager.tracked.setName(name, of: owner)
        made[ObjectIdentifier(owner)] = object
    }
}
