// What a watch reads.

/// Reads what is watched from its root, into an empty box if there is one.
@usableFromInline typealias WatchReader = (AnyObject, BoxedValue?) -> BoxedValue

/// What a watch reads: where it starts, and how.
///
/// It goes when the watch ends, whoever still holds that.
@safe final class WatchSubject: @unchecked Sendable {
    let name: KeyPathName
    /// What it is called, if it is an expression.
    let text: String?
    /// What the root's class declares to affect its value.
    let declared: [AnyKeyPath]
    let valueType: Any.Type
    /// Whether values are instances of a class, or such an instance or nil, which are not kept alive.
    let isObject: Bool
    /// The properties that the key path is made of, where key paths can be read; optionals are left out.
    private let parts: ContiguousArray<UInt>?
    private let reference: RootReference<AnyObject>
    /// Reads it from its root, into an empty box if there is one; compiled where the types are known.
    let read: WatchReader

    init(
        root: AnyObject, _ name: KeyPathName, text: String?, declared: [AnyKeyPath], parts: [AnyKeyPath]?,
        valueType: Any.Type, reading read: @escaping WatchReader
    ) {
        self.name = name
        self.text = text
        self.declared = declared
        self.valueType = valueType
        isObject = ((valueType as? any OptionalValue.Type)?.wrappedType ?? valueType) is AnyClass
        self.parts = KeyPathComponents.properties(of: parts ?? [name.keyPath])
        reference = RootReference(root)
        self.read = read
    }

    /// The object that it starts at; nil from the start of its `deinit` on.
    var root: AnyObject? { reference.object }

    /// How its observers keep what they are told.
    var keeping: Keeping { isObject ? .object : .value }

    /// Copies a value of its type.
    func copy(of value: BoxedValue?) -> BoxedValue? {
        BoxedValues(of: ChangeValues(old: value), valueType).old
    }

    /// How the values are made of those of the property that was read last.
    ///
    /// Nil unless each part of the key path is a property that was read by itself, in the order of the parts.
    func leaf(after read: ContiguousArray<Source>) -> PathLeaf? {
        guard let parts, parts.count == read.count, declared.isEmpty else { return nil }
        for index in parts.indices {
            let isPart = Unretained(read[index]).with { source in
                source.unretainedDescription?.with { $0.part == parts[index] && $0.policy.dependencies.isEmpty }
            }
            guard isPart ?? false else { return nil }
        }
        return read.last?.description?.leaf(for: valueType)
    }
}
