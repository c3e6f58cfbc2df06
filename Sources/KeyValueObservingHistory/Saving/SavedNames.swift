// Finding the objects and the properties that the saved form names.
import KeyValueObserving

/// Finds the objects and properties that the saved form names, while it is encoded and decoded.
///
/// A coder accepts only `Sendable` values. The thread that encodes or decodes uses it, during that call only.
final class SavedNames: @unchecked Sendable {
    static var key: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "KeyValueObservingHistory.names") else {
            preconditionFailure("every text is a key")
        }
        return key
    }

    let manager: KeyValueUndoManager
    /// The properties with saved values, if the whole state is saved.
    var state: Set<ObjectIdentifier>?
    /// The objects that were made.
    private var made: [ObjectIdentifier: AnyObject] = [:]

    init(_ manager: KeyValueUndoManager) { self.manager = manager }

    static func of(_ userInfo: [CodingUserInfoKey: Any]) throws -> SavedNames {
        guard let names = userInfo[key] as? SavedNames else {
            throw KeyValueUndoError(code: .invalidData, found: "it is not coded for a manager")
        }
        return names
    }

    /// The property that an entry names.
    static func property(_ decoder: any Decoder) throws -> any AnyTrackedProperty {
        let container = try decoder.container(keyedBy: SavedForm.Key.self)
        let tracked = try of(decoder.userInfo).manager.tracked
        let (name, key) = try (
            container.decode(String.self, forKey: .object), container.decode(String.self, forKey: .name)
        )
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

    /// Records an object that was made.
    func add(_ object: AnyObject, named name: String) {
        let owner = manager.tracked.object(for: object, type: TypeName.of(object))
        manager.tracked.setName(name, of: owner)
        made[ObjectIdentifier(object)] = object
    }

    func hasMade(_ object: AnyObject) -> Bool { made[ObjectIdentifier(object)] != nil }
}
