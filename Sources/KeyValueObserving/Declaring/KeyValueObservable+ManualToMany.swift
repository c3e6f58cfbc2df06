// Announcing changes of some elements by hand.

/// What is done to a set.
///
/// The raw values are those of Cocoa's `NSKeyValueSetMutationKind`.
public enum KeyValueSetMutationKind: UInt, Sendable {
    /// Members are added: delivered as an insertion of those that are not there.
    case union = 1
    /// Members are removed: delivered as a removal of those that are there.
    case minus
    /// All but some members are removed: delivered as a removal of those that are there.
    case intersect
    /// Other members take the place of all: delivered as a replacement, without the common ones.
    case set
}

extension KeyValueObservable {
    /// Announces that elements of an ordered to-many property are about to change.
    ///
    /// Where ``willChangeValue(for:)`` delivers a setting of the whole, this delivers the kind, the positions and the
    /// elements there. Follow it by ``didChange(_:valuesAt:for:)`` with the same arguments, on the same thread. Other
    /// arguments there trap.
    ///
    /// ```swift
    /// final class Playlist: KeyValueObservable {
    ///     let keyValueRegistrar = KeyValueRegistrar()
    ///     private var stored: [String] = []
    ///
    ///     var songs: [String] {
    ///         accessValue(for: \.songs)
    ///         return stored
    ///     }
    ///
    ///     func add(_ song: String) {
    ///         let end = RangeSet(stored.count..<(stored.count + 1))
    ///         willChange(.insertion, valuesAt: end, for: \.songs)
    ///         stored.append(song)
    ///         didChange(.insertion, valuesAt: end, for: \.songs)
    ///     }
    /// }
    /// ```
    ///
    /// Without positions nothing is delivered. For an `@Observed` property use the methods of its view, which do all
    /// this. (Foundation calls this `willChange(_:valuesAt:forKey:)`.)
    ///
    /// - Parameters:
    ///   - kind: What happens to the elements. With `.setting` this is ``willChangeValue(for:)``.
    ///   - indexes: Their positions: before the change, for an insertion after it.
    ///   - keyPath: The property; its value is an array or another random-access collection.
    /// - Precondition: The elements to be removed or replaced are there, and no change of other elements of the
    ///   property is open on this thread.
    public func willChange<Value>(
        _ kind: KeyValueChange, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>
    ) {
        guard kind != .setting else { return willChangeValue(for: keyPath) }
        let positions = PositionSet(indexes)
        Assignment.will(keyPath, of: self, .elements(kind, positions)) { value in
            let old = kind == .insertion ? nil : value.value(as: Value.self)
            return ManualChange.Elements(
                kind: kind, positions: .ranges(positions),
                old: old.map { Self.elements(of: $0, at: indexes, of: keyPath) },
                isEmpty: indexes.isEmpty
            ) { kind == .removal ? nil : Self.elements(of: $0, at: indexes, of: keyPath) }
        }
    }

    /// Notifies the observers of an ordered to-many property that elements of it have changed.
    ///
    /// Without a call of ``willChange(_:valuesAt:for:)`` before it, on the same thread, nothing happens.
    ///
    /// - Parameters:
    ///   - kind: What was given to ``willChange(_:valuesAt:for:)``.
    ///   - indexes: What was given there.
    ///   - keyPath: What was given there.
    /// - Precondition: The elements that were inserted or took the place of others are there.
    public func didChange<Value>(
        _ kind: KeyValueChange, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>
    ) {
        guard kind != .setting else { return didChangeValue(for: keyPath) }
        Assignment.did(keyPath, of: self, .elements(kind, PositionSet(indexes)))
    }

    /// Announces that members of a set are about to change.
    ///
    /// Observers get the members that are really added or removed. If there are none, nothing is delivered. Follow it
    /// by ``didChangeValue(for:withSetMutation:using:)`` with the same arguments, on the same thread. Other arguments
    /// there trap. (Foundation calls this `willChangeValue(forKey:withSetMutation:using:)`.)
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - mutation: What is done to the set.
    ///   - objects: The other set: the members to add, to remove, to keep, or to put in place of all.
    /// - Precondition: No change of other members of the property is open on this thread.
    public func willChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutationKind,
        using objects: Set<Element>
    ) {
        Assignment.will(keyPath, of: self, .members(mutation, objects)) { value in
            let value = value.value(as: Set<Element>.self) ?? []
            let (kind, removed, inserted): (KeyValueChange, Set<Element>, Set<Element>) =
                switch mutation {
                case .union: (.insertion, [], objects.subtracting(value))
                case .minus: (.removal, value.intersection(objects), [])
                case .intersect: (.removal, value.subtracting(objects), [])
                case .set: (.replacement, value.subtracting(objects), objects.subtracting(value))
                }
            return ManualChange.Elements(
                kind: kind, old: kind == .insertion ? nil : removed, isEmpty: removed.isEmpty && inserted.isEmpty
            ) { kind == .removal ? nil : $0.intersection(inserted) }
        }
    }

    /// Notifies the observers of a set that members of it have changed.
    ///
    /// Without a call of ``willChangeValue(for:withSetMutation:using:)`` before it, on the same thread, nothing
    /// happens.
    ///
    /// - Parameters:
    ///   - keyPath: What was given to ``willChangeValue(for:withSetMutation:using:)``.
    ///   - mutation: What was given there.
    ///   - objects: What was given there.
    public func didChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutationKind,
        using objects: Set<Element>
    ) {
        Assignment.did(keyPath, of: self, .members(mutation, objects))
    }

    /// The elements of a collection of unknown type at positions, as a collection of that type.
    private static func elements<Value>(of value: Value, at indexes: RangeSet<Int>, of keyPath: AnyKeyPath) -> Value {
        guard let collection = value as? any RandomAccessCollection & RangeReplaceableCollection,
            let elements = elements(of: collection, at: indexes, of: keyPath) as? Value
        else {
            fatalError(
                """
                \(Self.self) announced a change of elements of \(PropertyNames.text(of: keyPath)), which is a \
                \(Value.self) and not an array. Announce a change of the value with willChangeValue(for:), or of a \
                set's members with willChangeValue(for:withSetMutation:using:).
                """)
        }
        return elements
    }

    private static func elements<Elements: RandomAccessCollection & RangeReplaceableCollection>(
        of collection: Elements, at indexes: RangeSet<Int>, of keyPath: AnyKeyPath
    ) -> Elements {
        var elements = Elements()
        for offset in indexes.ranges.joined() {
            guard offset >= 0, offset < collection.count else {
                fatalError(
                    """
                    \(Self.self) announced a change of \(PropertyNames.text(of: keyPath)) at index \(offset), but \
                    its count is \(collection.count). Announce the positions that elements have before the change, \
                    for inserted ones those after it.
                    """)
            }
            elements.append(collection[collection.index(collection.startIndex, offsetBy: offset)])
        }
        return elements
    }
}
