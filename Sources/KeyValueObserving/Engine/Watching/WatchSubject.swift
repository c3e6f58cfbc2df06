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
    /// Where its first registration was made.
    let site: (fileID: StaticString, line: UInt)
    /// What the root's class declares to affect its value.
    let declared: [AnyKeyPath]
    let valueType: Any.Type
    /// How its observers keep their last value.
    let keeping: Keeping
    /// The properties that the key path is made of, where key paths can be read; optionals are left out.
    private let parts: ContiguousArray<UInt>?
    private let reference: RootReference<AnyObject>
    /// Reads it from its root, into an empty box if there is one; compiled where the types are known.
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

    /// The object that it starts at; nil from the start of its `deinit` on.
    var root: AnyObject? { reference.object }

    var isObject: Bool { keeping == .object }

    /// Copies a value of its type.
    func copy(of value: BoxedValue?) -> BoxedValue? {
        KeptValues(nil, ChangeValues(old: value), valueType).old
    }

    /// How the values are made of those of the property that was read last.
    ///
    /// Nil unless each part of the key path is a property that was read by itself, in the order of the parts.
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
    /// Calls its observers up to a number, but for some, with a value that was read again for what other threads left.
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
