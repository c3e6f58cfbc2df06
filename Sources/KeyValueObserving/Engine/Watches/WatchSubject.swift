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

    /// Copies a value of its type.
    func copy(of value: BoxedValue?) -> BoxedValue? {
        BoxedValues(of: ChangeValues(old: value), valueType).old
    }

    /// Makes its values of those that are announced at its own key path.
    var ownMaking: PathLeaf {
        func open<Value>(_ type: Value.Type) -> LeafMaking { .of(type) }
        return PathLeaf(_openExistential(valueType, do: open), wrapped: false)
    }

    /// How the values are made of those of the property that was read last.
    ///
    /// Nil unless each part of the key path is a property that was read by itself, in the order of the parts.
    func leaf(after read: ContiguousArray<Source>) -> Leaf? {
        guard let parts, parts.count == read.count, declared.isEmpty else { return nil }
        var last: PropertyDescription?
        for (source, part) in zip(read, parts) {
            guard let description = source.description, description.part == part,
                description.policy.dependencies.isEmpty
            else { return nil }
            last = description
        }
        guard let last, let making = last.leaf(for: valueType) else { return nil }
        return Leaf(making: making, isCertain: last.isExact)
    }
}

/// The end of a path, whose values make those of the path.
struct Leaf {
    let making: PathLeaf
    /// Whether they do in any case: a stored property with nothing before it.
    ///
    /// Otherwise only its elements do.
    var isCertain: Bool
}
