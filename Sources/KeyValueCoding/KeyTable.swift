// The table of a class's keys, read once.
import KeyValueObserving

/// The keys of a class, read once and kept for good.
///
/// No lock is held while the class's properties are called. Threads that come at the same time may all call them; the
/// first result is kept.
final class KeyTable: @unchecked Sendable {
    private let type: any KeyValueCodable.Type
    private let contents = Guarded<Contents?>(nil)

    private struct Contents {
        let properties: [String: CodedProperty]
        let accessesStorageDirectly: Bool
    }

    private static let tables = Guarded<[ObjectIdentifier: KeyTable]>([:])

    private init(_ type: any KeyValueCodable.Type) {
        self.type = type
    }

    /// The table of a class.
    static func of(_ type: any KeyValueCodable.Type) -> KeyTable {
        tables.entry(of: type) { KeyTable(type) }
    }

    // MARK: Search

    /// The property that is read for `key`.
    ///
    /// The order is that of Apple's Key-Value Coding Programming Guide: `key`, `isKey`, and with access to storage
    /// `_key`, `_isKey`.
    func readable(_ key: String) -> CodedProperty? {
        let contents = known
        if let property = contents.properties[key] { return property }
        let names = contents.accessesStorageDirectly ? [key.asFlag, "_" + key, "_" + key.asFlag] : [key.asFlag]
        return names.lazy.compactMap { contents.properties[$0] }.first
    }

    /// The result of looking up a key to set.
    enum Writing {
        case property(CodedProperty)
        /// The property exists, but cannot be set.
        case readOnly
        case undefined
    }

    /// The property that is set for `key`: `key`, and with access to storage `_key`, `_isKey`, `isKey`.
    func writable(_ key: String) -> Writing {
        let contents = known
        let names = contents.accessesStorageDirectly ? [key, "_" + key, "_" + key.asFlag, key.asFlag] : [key]
        let found = names.compactMap { contents.properties[$0] }
        if let property = found.first(where: \.isWritable) { return .property(property) }
        return found.isEmpty ? .undefined : .readOnly
    }

    /// The error for a key that is not there.
    func undefinedKey(_ key: String) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .undefinedKey, key: key, objectType: type, nearKeys: NearKeys.of(key, among: known.properties.keys))
    }

    // MARK: Reading the tables of classes

    private var known: Contents { contents.withLock { $0 } ?? ask() }

    private func ask() -> Contents {
        let asked = Tracking.suspended {
            Contents(
                properties: type.keyPathsByKey.reduce(into: [:]) { properties, entry in
                    properties[entry.key] = CodedProperty(entry.value, key: entry.key, of: type)
                },
                accessesStorageDirectly: type.accessesStorageDirectly)
        }
        let kept = contents.withLock { contents in
            let first = contents ?? asked
            contents = first
            return first
        }
        for (key, property) in kept.properties { PropertyNames.note(property.keyPath, named: key) }
        return kept
    }

    /// Records the names that a class gives its properties.
    static func noteNames(of type: any KeyValueCodable.Type) { _ = of(type).known }
}

extension String {
    /// The name of the flag with this key: `isAdult` for `adult`.
    fileprivate var asFlag: String { "is" + prefix(1).uppercased() + dropFirst() }
}
