// Saving the changes of one property.
import KeyValueObserving

/// The keys of a change, as ``/KeyValueObserving/KeyValueObservedChange/encode(to:)`` writes them.
private enum ChangeKey: CodingKey { case kind, positions, old, new }

extension TrackedProperty {
    /// A container that names the property.
    func container(of encoder: any Encoder) throws -> KeyedEncodingContainer<SavedForm.Key> {
        guard let name = try SavedNames.of(encoder.userInfo).manager.tracked.name(of: owner) else {
            throw failure(.unnamedObject, expected: "a name", found: "none")
        }
        var container = encoder.container(keyedBy: SavedForm.Key.self)
        try container.encode(name, forKey: .object)
        try container.encode(key, forKey: .name)
        return container
    }

    // MARK: The value

    func encodeValue(to encoder: any Encoder) throws {
        guard let object else { return }
        var container = try container(of: encoder)
        try encode(object[keyPath: keyPath], forKey: .value, in: &container, encoder)
    }

    func decodeValue(from decoder: any Decoder, into copies: inout ValueCopies) throws {
        let container = try decoder.container(keyedBy: SavedForm.Key.self)
        guard let value = try decodeValue(.value, in: container, SavedNames.of(decoder.userInfo)) else {
            throw KeyValueUndoError(code: .invalidData, found: "\(key) of \(owner.type) has no value")
        }
        copies[self] = value
    }

    private func encode<Key>(
        _ value: Value?, forKey key: Key, in container: inout KeyedEncodingContainer<Key>, _ encoder: any Encoder
    ) throws {
        guard let value else { return }
        if let naming {
            let manager = try SavedNames.of(encoder.userInfo).manager
            return try container.encode(naming.objects(value).map { try name(of: $0, in: manager) }, forKey: key)
        }
        if let type = objectType(in: Value.self) {
            throw failure(.unnamedElement, expected: "a name", found: "a \(TypeName.text(of: type)) is an object")
        }
        guard let type = Value.self as? any Codable.Type else {
            throw failure(.notCodable, found: "\(TypeName.text(of: Value.self)) is not Codable")
        }
        func encode<Coded: Codable>(_: Coded.Type) throws -> Bool {
            guard let value = value as? Coded else { return false }
            try container.encode(value, forKey: key)
            return try SameValue.areSame(value, SavedForm.copy(of: value))
        }
        do {
            if try encode(type) { return }
        } catch {
            throw failure(.notCodable, found: "\(error)")
        }
        throw failure(
            .notCodable, found: "a value is another one when it is read back, as an object is that has no ==")
    }

    private func decodeValue<Key>(
        _ valueKey: Key, in container: KeyedDecodingContainer<Key>, _ names: SavedNames
    ) throws -> Value? {
        guard container.contains(valueKey) else { return nil }
        func decode<Decoded: Decodable>(_: Decoded.Type) throws -> Any {
            try container.decode(Decoded.self, forKey: valueKey)
        }
        do {
            if naming != nil {
                let objects = try container.decode([String].self, forKey: valueKey).map { try names.object(named: $0) }
                guard let value = elements.whole(objects) else {
                    throw failure(.typeMismatch, found: "an object is of another type")
                }
                return value
            }
            guard let type = Value.self as? any Decodable.Type, let value = try decode(type) as? Value else {
                throw failure(.typeMismatch, found: "the type is not Codable")
            }
            return value
        } catch let error as DecodingError {
            throw failure(.typeMismatch, found: "\(error)")
        }
    }

    // MARK: The changes of a step

    func encode(_ step: UndoStep.ID, to encoder: any Encoder) throws {
        guard let changes = changes[step] else { return }
        guard try SavedNames.of(encoder.userInfo).state?.contains(ObjectIdentifier(self)) ?? true else {
            throw failure(.unnamedElement, expected: "a list", found: "the \(owner.type) is in no list that is saved")
        }
        var container = try container(of: encoder)
        try container.encodeIfPresent(changes.count, forKey: .count)
        var list = container.nestedUnkeyedContainer(forKey: .changes)
        for change in changes.list {
            var container = list.nestedContainer(keyedBy: ChangeKey.self)
            try container.encode("\(change.kind)", forKey: .kind)
            if change.indexes != nil { try container.encode(change.positions, forKey: .positions) }
            try encode(change.oldValue, forKey: .old, in: &container, encoder)
            try encode(change.newValue, forKey: .new, in: &container, encoder)
        }
    }

    func decode(from decoder: any Decoder, into step: UndoStep) throws {
        let container = try decoder.container(keyedBy: SavedForm.Key.self)
        let count = try container.decodeIfPresent(Int.self, forKey: .count)
        let names = try SavedNames.of(decoder.userInfo)
        var list = try container.nestedUnkeyedContainer(forKey: .changes)
        var changes: [KeyValueObservedChange<Value>] = []
        while !list.isAtEnd {
            try changes.append(decodeChange(list.nestedContainer(keyedBy: ChangeKey.self), names))
        }
        if self.changes[step.id] != nil {
            throw KeyValueUndoError(code: .invalidData, found: "a step has two entries for \(key) of \(owner.type)")
        }
        step.add(StepChanges(changes, count: count), of: self)
    }

    private func decodeChange(
        _ container: KeyedDecodingContainer<ChangeKey>, _ names: SavedNames
    ) throws -> KeyValueObservedChange<Value> {
        let name = try container.decode(String.self, forKey: .kind)
        guard let kind = KeyValueChange(named: name) else {
            throw KeyValueUndoError(code: .invalidData, found: "\"\(name)\" is no kind of change")
        }
        let positions = try container.decodeIfPresent([Int].self, forKey: .positions)
        let indexes = positions.flatMap { RangeSet(positions: $0) }
        guard (indexes == nil) == (positions == nil) else {
            throw KeyValueUndoError(code: .invalidData, found: "\(positions ?? []) are no positions")
        }
        let (old, new) = try (decodeValue(.old, in: container, names), decodeValue(.new, in: container, names))
        let isComplete = (old != nil || kind == .insertion) && (new != nil || kind == .removal)
        guard isComplete else {
            throw KeyValueUndoError(code: .invalidData, found: "a change of \(key) lacks its old or its new value")
        }
        return KeyValueObservedChange(kind: kind, oldValue: old, newValue: new, indexes: indexes, keyPath: keyPath)
    }
}

/// A type that contains values of another one.
private protocol Containing {
    static var content: Any.Type { get }
}

extension Optional: Containing {
    fileprivate static var content: Any.Type { Wrapped.self }
}

extension Dictionary: Containing {
    fileprivate static var content: Any.Type { Value.self }
}

/// The class of the observable objects that are the values of a type, or their elements.
private func objectType(in type: Any.Type) -> Any.Type? {
    func element<Elements: Sequence>(_: Elements.Type) -> Any.Type? {
        Elements.Element.self == Elements.self ? nil : objectType(in: Elements.Element.self)
    }
    if type is any KeyValueObservable.Type { return type }
    if let type = type as? any Containing.Type { return objectType(in: type.content) }
    return (type as? any Sequence.Type).flatMap { element($0) }
}
