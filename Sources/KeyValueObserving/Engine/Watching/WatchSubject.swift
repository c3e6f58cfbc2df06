// The subject of a watch: its root, and the way to read it.

/// Reads the value of a watch from its root, into an empty box if there is one.
@usableFromInline typealias WatchReader = (AnyObject, BoxedValue?) -> BoxedValue

/// The root of a watch, and the way to read its value.
///
/// The watch releases it at its end, even if the watch lives on.
@safe final class WatchSubject: @unchecked Sendable {
    let name: KeyPathName
    /// The name, if it is an expression.
    let text: String?
    /// The place of its first registration.
    let site: (fileID: StaticString, line: UInt)
    /// The dependencies that the root's class declares for it.
    let declared: [AnyKeyPath]
    let valueType: Any.Type
    /// How its observers keep their last value.
    let keeping: Keeping
    /// The properties in the key path, without optionals, if key paths can be read.
    private let parts: ContiguousArray<UInt>?
    private let reference: RootReference<AnyObject>
    /// Reads the value from its root, into an empty box if there is one; compiled where the types are known.
    let read: WatchReader

    init(
        root: AnyObject, _ name: KeyPathName, text: String?, _ site: (fileID: StaticString, line: UInt),
        declared: [AnyKeyPath], parts: [AnyKeyPath]?, valueType: Any.Type, reading read: @escaping WatchReader
    ) {
        self.site = site
        self.name = name
        self.text = text
        self.declared = declared
        self.valueType = valueType
        keeping = Keeping(valueType)
        self.parts = KeyPathComponents.properties(of: parts ?? [name.keyPath])
        reference = RootReference(root)
        self.read = read
    }

    /// The object that the watch starts at; nil from the start of the object's `deinit` on.
    var root: AnyObject? { reference.object }

    var isObject: Bool { keeping == .object }

    /// Copies a value of its type.
    func copy(of value: BoxedValue?) -> BoxedValue? {
        KeptValues(nil, ChangeValues(old: value), valueType).old
    }

    /// The leaf that makes the values from those of the property that was read last.
    ///
    /// Nil unless each part of the key path is a property of its own that was read in the order of the parts.
    func leaf(after read: ContiguousArray<Source>) -> PathLeaf? {
        guard let parts, parts.count == read.count, declared.isEmpty else { return nil }
        for index in parts.indices {
            let isPart = Unretained(read[index]).with { source in
                source.description.part == parts[index] && source.description.policy.dependencies.isEmpty
            }
            guard isPart else { return nil }
        }
        return read.last?.description.leaf(for: valueType)
    }
}

extension Watch {
    /// Calls its observers up to a number, except some, with a value that was read again for other threads' changes.
    func deliver(
        _ value: BoxedValue, of root: AnyObject, upTo newest: RegistrationNumber,
        ignoring ignored: Set<RegistrationNumber>
    ) {
        let (content, list) = (CallContent(root, ObjectIdentifier(self), KeptValues(new: value)), CallList())
        registrations.visit { registration in
            if registration.number > newest { return }
            if ignored.contains(registration.number) { return registration.miss() }
            list.append(Call(registration, content))
        }
        Delivery.run(Delivery(of: list))
    }
}
