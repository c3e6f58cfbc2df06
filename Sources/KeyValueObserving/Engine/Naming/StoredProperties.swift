// The properties that a type stores, without an instance of it.
@_spi(Reflection) import Swift

/// The stored properties of a type and its superclasses, as Swift's reflection metadata list them.
///
/// `_forEachField` of the standard library reads them. ``isKnown`` checks it on sample types with known fields. If the
/// outcome differs, or if a program was built without reflection metadata, with `-disable-reflection-metadata`, no type
/// has any.
package enum StoredProperties {
    struct Field {
        let label: String
        /// The offset in the value or object.
        let offset: Int
        let type: Any.Type
        /// The type of the observed property that the field stores, if it does.
        let observedType: Any.Type?
    }

    private static let types = Guarded<[ObjectIdentifier: [Field]]>([:])

    static func of(_ type: Any.Type) -> [Field] { isKnown ? types.entry(of: type) { read(type) } : [] }

    /// The types of the fields of a struct or class.
    package static func types(of type: Any.Type) -> [Any.Type] { of(type).map(\.type) }

    private static func read(_ type: Any.Type) -> [Field] {
        var fields: [Field] = []
        let ofClasses = _EachFieldOptions(rawValue: 1)
        _ = unsafe _forEachField(of: type, options: type is AnyClass ? ofClasses : []) { label, offset, type, _ in
            let observedType = (type as? any ObservedStorage.Type)?.valueType
            fields.append(
                Field(label: unsafe String(cString: label), offset: offset, type: type, observedType: observedType))
            return true
        }
        return fields
    }

    /// Whether the fields of the samples are found.
    static let isKnown = RuntimeAssumption.outcome {
        let start = 2 * MemoryLayout<UInt>.size
        let (own, value) = (read(DerivedSample<Int8>.self), read(SampleValue.self))
        return own.map(\.label) == ["first", "second"] && own.map(\.offset) == [start, start + 8]
            && own[0].type == Int64.self && own[1].type == Int8?.self
            && value.map(\.label) == ["flag", "number"] && value.map(\.offset) == [0, 4]
    }
}

private class Sample {
    var first: Int64 = 1
}

private final class DerivedSample<Value>: Sample {
    var second: Value?
}

private struct SampleValue {
    var flag = false
    var number: Int32 = 1
}

extension KeyPathComponents {
    /// A property or a subscript in a key path.
    struct Part {
        let component: Component
        /// The type that it belongs to, as the key path is written.
        let owner: Any.Type
        let valueType: Any.Type
        /// Whether the key path can set it.
        let isSet: Bool
        /// The arguments of a subscript.
        let arguments: String?
    }

    /// The properties and subscripts in a key path; nil if some components are unknown.
    static func parts(of keyPath: AnyKeyPath) -> [Part]? {
        guard let known = Self(keyPath) else { return nil }
        let types = [type(of: keyPath).rootType] + known.owners.map(\.type) + [type(of: keyPath).valueType]
        return known.components.indices.compactMap { index in
            if case .optional = known.components[index] { return nil }
            return Part(
                component: known.components[index], owner: types[index], valueType: types[index + 1],
                isSet: known.areSet >> UInt64(index) & 1 == 1, arguments: known.arguments[index])
        }
    }
}

/// The facts about a property with accessors that its type and the program's symbols give without an instance.
///
/// The field `_age` of type `Observed<Int>` stores a property `age` of type `Int`. Only the name of the getter shows
/// that a component of a key path is this property, and not a computed one of the same type. Without symbols (`strip`,
/// `-Xlinker -s`), and for classes in a shared library, this is thus unknown until an instance has been read.
extension KeyPathComponents.Part {
    /// Its identity in other key paths, if it has accessors.
    var accessor: UInt? { if case .computed(let id) = component { id } else { nil } }

    /// The stored property, if it is known to be one.
    var stored: (name: String, isObserved: Bool)? {
        switch component {
        case .optional: return nil
        case .stored(let bits):
            // A field without a size may be where another field begins.
            let offset = Int(KeyPathComponents.offset(of: bits))
            let labels = Set(fields.filter { $0.offset == offset && $0.type == valueType }.map(\.label))
            guard labels.count == 1, let label = labels.first else { return nil }
            // An element of a tuple without a label is `.0`.
            return (label.hasPrefix(".") ? String(label.dropFirst()) : label, false)
        case .computed(let id):
            guard hasField(ofType: valueType) || hasObservedField else { return nil }
            guard let name = GetterSymbols.name(of: id, in: owner) else { return nil }
            if fields.contains(where: { $0.label == "_\(name)" && $0.observedType == valueType }) {
                return (name, true)
            }
            return fields.contains { $0.label == name && $0.type == valueType } ? (name, false) : nil
        }
    }

    /// Whether it may be a stored property although ``stored`` does not say so.
    ///
    /// A registration reads the first part of a key path; if that property were observed, its name would be known.
    /// Without reflection metadata, the fields of a class are unknown, so any of its properties may be stored.
    func mayBeStored(isRead: Bool) -> Bool {
        guard case .computed(let id) = component else { return true }
        guard owner is AnyClass else { return false }
        if fields.isEmpty { return true }
        guard isSet, GetterSymbols.name(of: id, in: owner) == nil else { return false }
        return hasField(ofType: valueType) || !isRead && hasObservedField
    }

    /// Whether it is known to be a stored `var` of an observable object without being observed.
    var isUnobserved: Bool {
        isSet && owner is any KeyValueObservable.Type && hasField(ofType: valueType) && !(stored?.isObserved ?? true)
    }

    private var fields: [StoredProperties.Field] { StoredProperties.of(owner) }
    private var hasObservedField: Bool { fields.contains { $0.observedType == valueType } }
    private func hasField(ofType type: Any.Type) -> Bool { fields.contains { $0.type == type } }
}

/// Stores an observed property.
private protocol ObservedStorage {
    static var valueType: Any.Type { get }
}

extension Observed: ObservedStorage {
    fileprivate static var valueType: Any.Type { Value.self }
}

extension ObservedShared: ObservedStorage {
    fileprivate static var valueType: Any.Type { Value.self }
}
