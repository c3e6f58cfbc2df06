// How the changes of one property are saved.
import KeyValueObserving

private enum ChangeKey: CodingKey { case kind, indexes, old, new }

extension TrackedProperty {
    func encode(_ step: UndoStep.ID, to encoder: any Encoder) throws {
        guard let name = try PropertyLookup.of(encoder.userInfo).manager.tracked.name(of: owner) else {
            throw failure(.unnamedObject, expected: "a name", found: "none")
        }
        guard let changes = changes[step] else { return }
        var container = encoder.container(keyedBy: UndoStep.PropertyKey.self)
        try container.encode(name, forKey: .object)
        try container.encode(key, forKey: .key)
        try container.encodeIfPresent(changes.count, forKey: .count)
        var list = container.nestedUnkeyedContainer(forKey: .changes)
        for change in changes.list {
            var container = list.nestedContainer(keyedBy: ChangeKey.self)
            try container.encode("\(change.kind)", forKey: .kind)
            try container.encodeIfPresent(
                change.indexes?.ranges.map { [$0.lowerBound, $0.upperBound] }, forKey: .indexes)
            try encode(change.oldValue, forKey: .old, in: &container, encoder)
            try encode(change.newValue, forKey: .new, in: &container, encoder)
        }
    }

    private func encode(
        _ value: Value?, forKey key: ChangeKey, in container: inout KeyedEncodingContainer<ChangeKey>,
        _ encoder: any Encoder
    ) throws {
        guard let value else { return }
        if let naming {
            let manager = try PropertyLookup.of(encoder.userInfo).manager
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
            return try SameValue.areSame(value, SavedSteps.copy(of: value))
        }
        do {
            if try encode(type) { return }
        } catch {
            throw failure(.notCodable, found: "\(error)")
        }
        throw failure(
            .notCodable, found: "a value is another one when it is read back, as an object is that has no ==")
    }

    func decode(from decoder: any Decoder, into step: UndoStep) throws {
        let container = try decoder.container(keyedBy: UndoStep.PropertyKey.self)
        let count = try container.decodeIfPresent(Int.self, forKey: .count)
        let lookup = try PropertyLookup.of(decoder.userInfo)
        var list = try container.nestedUnkeyedContainer(forKey: .changes)
        var changes: [KeyValueObservedChange<Value>] = []
        while !list.isAtEnd {
            try changes.append(decodeChange(list.nestedContainer(keyedBy: ChangeKey.self), lookup))
        }
        if self.changes[step.id] != nil {
            throw KeyValueUndoError(code: .invalidData, found: "a step has two entries for \(key) of \(owner.type)")
        }
        step.add(StepChanges(changes, count: count), of: self)
    }

    private func decodeChange(
        _ container: KeyedDecodingContainer<ChangeKey>, _ lookup: PropertyLookup
    ) throws -> KeyValueObservedChange<Value> {
        let name = try container.decode(String.self, forKey: .kind)
        let kinds: [KeyValueChange] = [.setting, .insertion, .removal, .replacement]
        guard let kind = kinds.first(where: { "\($0)" == name }) else {
            throw KeyValueUndoError(code: .invalidData, found: "\"\(name)\" is no kind of change")
        }
        let places = try container.decodeIfPresent([[Int]].self, forKey: .indexes).map { try indexes($0) }
        let (old, new) = try (decodeValue(.old, in: container, lookup), decodeValue(.new, in: container, lookup))
        let isComplete = (old != nil || kind == .insertion) && (new != nil || kind == .removal)
        guard isComplete else {
            throw KeyValueUndoError(code: .invalidData, found: "a change of \(key) lacks its old or its new value")
        }
        return KeyValueObservedChange(kind: kind, oldValue: old, newValue: new, indexes: places, keyPath: keyPath)
    }

    private func decodeValue(
        _ valueKey: ChangeKey, in container: KeyedDecodingContainer<ChangeKey>, _ lookup: PropertyLookup
    ) throws -> Value? {
        guard container.contains(valueKey) else { return nil }
        func decode<Decoded: Decodable>(_: Decoded.Type) throws -> Any {
            try container.decode(Decoded.self, forKey: valueKey)
        }
        do {
            if naming != nil {
                let objects = try container.decode([String].self, forKey: valueKey).map { try lookup.object(named: $0) }
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
}

/// The indexes with these bounds.
private func indexes(_ bounds: [[Int]]) throws -> RangeSet<Int> {
    try RangeSet(
        bounds.map { bounds in
            guard bounds.count == 2, 0 <= bounds[0], bounds[0] < bounds[1] else {
                throw KeyValueUndoError(code: .invalidData, found: "\(bounds) are no indexes")
            }
            return bounds[0]..<bounds[1]
        })
}

/// A type that has values of another one, which is known only here.
private protocol Containing {
    static var content: Any.Type { get }
}

extension Optional: Containing {
    fileprivate static var content: Any.Type { Wrapped.self }
}

extension Dictionary: Containing {
    fileprivate static var content: Any.Type { Value.self }
}

/// The class of the observable objects that the values of a type are, or have as elements.
private func objectType(in type: Any.Type) -> Any.Type? {
    func element<Elements: Sequence>(_: Elements.Type) -> Any.Type? {
        Elements.Element.self == Elements.self ? nil : objectType(in: Elements.Element.self)
    }
    if type is any KeyValueObservable.Type { return type }
    if let type = type as? any Containing.Type { return objectType(in: type.content) }
    return (type as? any Sequence.Type).flatMap { element($0) }
}
