// The saved form of a manager.
import KeyValueObserving

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The saved form of a manager: the tracked state, and the steps.
///
/// ```json
/// {"version": 2, "elements": [], "redo": [],
///  "state": [{"object": "list", "name": "items", "value": ["milk", "bread"]}],
///  "undo": [{"actionName": "Paste", "properties": [{"object": "list", "name": "items", "count": 2,
///     "changes": [{"kind": "insertion", "positions": [0, 1], "new": ["milk", "bread"]}]}]}]}
/// ```
///
/// The form names a property by its object and its own name, and writes a change in the words of
/// ``/KeyValueObserving/KeyValueObservedChange/encode(to:)``.
struct SavedForm: Codable {
    /// The keys beside those of a change.
    enum Key: CodingKey {
        case version, state, elements, undo, redo, actionName, properties, object, name, element, value, count, changes
    }

    private static let knownVersion = 2
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

    /// A value after encoding and decoding.
    static func copy<Value: Codable>(of value: Value) throws -> Value {
        try decoder.decode(Value.self, from: encoder.encode(value))
    }

    /// The properties whose values are saved.
    let state: [any AnyTrackedProperty]
    /// The values that they had.
    private(set) var values = ValueCopies()
    /// The reason that the state is incomplete, after decoding.
    private(set) var missing: KeyValueUndoError?
    /// The objects in lists, for encoding; a manager that decodes the form makes those that it lacks.
    private let elements: [SavedElement]
    /// Whether the whole state is saved.
    private let hasState: Bool
    /// The steps to undo and to redo, each the oldest first.
    let undo: [UndoStep]
    let redo: [UndoStep]

    init(
        hasState: Bool, _ state: [any AnyTrackedProperty], elements: [SavedElement], undo: [UndoStep],
        redo: [UndoStep]
    ) {
        self.hasState = hasState
        (self.state, self.elements, self.undo, self.redo) = (state, elements, undo, redo)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // Another version may have a different form.
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.knownVersion else {
            throw KeyValueUndoError(code: .unknownVersion, expected: "\(Self.knownVersion)", found: "\(version)")
        }
        hasState = true
        elements = []
        try container.forEachProperty(in: .elements) { property, decoder in
            try property.decodeElement(from: decoder)
        }
        var (state, values): ([any AnyTrackedProperty], ValueCopies) = ([], ValueCopies())
        var missing: KeyValueUndoError?
        try container.forEachProperty(in: .state) { property, decoder in
            try property.decodeValue(from: decoder, into: &values)
            state.append(property)
        } orElse: {
            missing = missing ?? $0
        }
        (self.state, self.values, self.missing) = (state, values, missing)
        undo = try container.decode([UndoStep].self, forKey: .undo)
        redo = try container.decode([UndoStep].self, forKey: .redo)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.knownVersion, forKey: .version)
        var list = container.nestedUnkeyedContainer(forKey: .elements)
        for element in elements { try element.list.encode(element, to: list.superEncoder()) }
        list = container.nestedUnkeyedContainer(forKey: .state)
        for property in state { try property.encodeValue(to: list.superEncoder()) }
        let names = try SavedNames.of(encoder.userInfo)
        if hasState { names.state = Set(state.map { ObjectIdentifier($0) }) }
        try container.encode(undo, forKey: .undo)
        try container.encode(redo, forKey: .redo)
    }
}

extension UndoStep: Codable {
    convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SavedForm.Key.self)
        self.init(named: try container.decodeIfPresent(String.self, forKey: .actionName))
        try container.forEachProperty(in: .properties) { property, decoder in
            try property.decode(from: decoder, into: self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SavedForm.Key.self)
        try container.encodeIfPresent(name, forKey: .actionName)
        var list = container.nestedUnkeyedContainer(forKey: .properties)
        for property in properties where property.isTracked && property.isChanged(in: id) {
            try property.encode(id, to: list.superEncoder())
        }
    }
}

extension KeyedDecodingContainer<SavedForm.Key> {
    /// Reads a list of entries, each of which names a property.
    fileprivate func forEachProperty(
        in key: SavedForm.Key, _ body: (any AnyTrackedProperty, any Decoder) throws -> Void,
        orElse handle: (KeyValueUndoError) throws -> Void = { throw $0 }
    ) throws {
        var list = try nestedUnkeyedContainer(forKey: key)
        while !list.isAtEnd {
            let decoder = try list.superDecoder()
            let property: any AnyTrackedProperty
            do {
                property = try SavedNames.property(decoder)
            } catch let error as KeyValueUndoError {
                try handle(error)
                continue
            }
            try body(property, decoder)
        }
    }
}
