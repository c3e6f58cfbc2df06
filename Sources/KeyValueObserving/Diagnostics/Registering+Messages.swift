// Messages about key paths that cannot be observed, or only in part.

extension Registering {
    /// Notes once that a part of a key path does not always exist.
    static func noteTrap(in keyPath: AnyKeyPath, _ fileID: StaticString, _ line: UInt) {
        guard let trap = KeyPathComponents.trap(in: keyPath) else { return }
        KeyValueDiagnostics.noteOnce(
            """
            the key path observed at \(fileID):\(line) leads through \(trap.rawValue): the program will end where it \
            cannot be read any more. \(trap.advice)
            """)
    }

    /// Notes once that a part of a key path cannot be followed.
    static func noteParts(of keyPath: AnyKeyPath) {
        guard let owner = KeyPathComponents.unobservableOwner(in: keyPath) else { return }
        let root = TypeName.text(of: type(of: keyPath).rootType)
        KeyValueDiagnostics.noteOnce(
            """
            \(PropertyNames.text(of: keyPath)) of \(root) leads through a property of \(TypeName.text(of: owner)), which \
            does not conform to KeyValueObservable. Changes of that property are not seen, only those of the properties \
            before it.
            """)
    }

    /// For key paths with an unobserved stored property of an observable object: that part, and the identities of the
    /// others.
    private static let unobserved = KeyPathCache<(part: KeyPathComponents.Part, others: Set<UInt>)?>()

    /// Notes once for a key path that observers are not notified when a stored property along it is replaced.
    ///
    /// A subclass may override the property with an observed one. There is thus no note if the getter read a property
    /// that is not part of the key path.
    static func noteUnobserved(
        in keyPath: AnyKeyPath, _ subject: WatchSubject, _ read: ContiguousArray<Source>, _ fileID: StaticString,
        _ line: UInt
    ) {
        if KeyPathComponents.isOneProperty(keyPath) || !subject.declared.isEmpty { return }
        let found = unobserved.fact(of: keyPath) {
            let parts = KeyPathComponents.parts(of: keyPath) ?? []
            guard let part = parts.first(where: \.isUnobserved) else { return nil }
            return (part, Set(parts.compactMap(\.accessor)).subtracting([part.accessor].compactMap(\.self)))
        }
        guard let (part, others) = found, let name = part.stored?.name,
            read.allSatisfy({ source in source.description.part.map { others.contains($0) } ?? false })
        else { return }
        let (owner, text) = (TypeName.text(of: part.owner), PropertyNames.text(of: keyPath))
        KeyValueDiagnostics.noteOnce(
            """
            \(text), observed at \(fileID):\(line), leads through \(name) of \(owner), which is \
            stored and not observed: nobody notices when it is replaced. Declare \(name) @Observed, or with let if it \
            never changes.
            """, about: "\(TypeName.text(of: type(of: keyPath).rootType)).\(text) through \(owner).\(name)")
    }

    /// Traps if `.prior` is requested for a property that several threads change.
    static func checkPrior(
        _ request: borrowing RegistrationRequest, at property: Source, of object: AnyObject
    ) {
        guard request.options.contains(.prior), property.description.isShared else { return }
        fatalError(
            """
            .prior is not possible at \(PropertyNames.text(of: property.description.keyPath)), which \(TypeName.of(object)) declares as @ObservedShared: another thread may \
            change it before the observer has been called. Ask for .old instead.
            """, file: request.fileID, line: request.line)
    }

    /// Traps because an object returns a new registrar each time.
    static func trapForgetful(_ type: Any.Type, _ fileID: StaticString, _ line: UInt) -> Never {
        fatalError(
            """
            \(TypeName.text(of: type)) cannot be observed: its keyValueRegistrar is another one each time it is read, so no \
            change could find its observers. Declare it as a stored property: let keyValueRegistrar = KeyValueRegistrar().
            """, file: fileID, line: line)
    }

    /// A sentence on making a property observable.
    static func advice(for object: some KeyValueObservable, at keyPath: AnyKeyPath? = nil) -> String {
        let type = type(of: object)
        if let foreign = PropertyOverrides.foreignClass(above: type) {
            return """
                If \(TypeName.text(of: foreign)) declares it, only those of its properties can be observed that \
                \(TypeName.text(of: type)) overrides: override it there, and announce its changes with changeValue(for:).
                """
        }
        if let keyPath, KeyPathComponents.start(of: keyPath).isStored {
            let name = PropertyNames.text(of: keyPath).prefix { $0 != "." }
            return "Declare \(name) @Observed, unless it is a constant: that never changes."
        }
        let hints = keyPath.map { Self.hints(of: object, KeyPathComponents.start(of: $0).type) } ?? ""
        return hints + """
            \(hints.isEmpty ? "Make" : "Otherwise make") a stored property behind it @Observed, call accessValue(for:) in its \
            getter if its changes are announced manually, or declare what affects it in keyPathsAffectingValue(for:).
            """
    }

    /// A key path for a message, described by its type if it may be a stored property with an unknown name.
    static func subject(_ keyPath: AnyKeyPath, of object: AnyObject) -> String {
        let (type, text) = (KeyPathComponents.start(of: keyPath).type, PropertyNames.text(of: keyPath))
        return !PropertyNames.isStart(of: keyPath) && !hints(of: object, type).isEmpty
            ? "a property of type \(TypeName.text(of: type))"
            : "\\\(TypeName.text(of: Swift.type(of: keyPath).rootType)).\(text)"
    }

    /// Hints about a property of a type that may be stored, weak or lazy.
    private static func hints(of object: AnyObject, _ type: Any.Type) -> String {
        func optional<Value>(_: Value.Type) -> Any.Type { Value?.self }
        let stored = storedProperties(of: type, in: object)
        var hints = stored.isEmpty ? "" : "Declare it @Observed if it is stored (\(stored.joined(separator: ", "))). "
        if !stored.isEmpty, type is any OptionalValue.Type {
            hints += "If it is weak, put it in a box that is @Observed, or declare the class by macro. "
        }
        let optionals = storedProperties(of: _openExistential(type, do: optional), in: object)
        if optionals.contains(where: { $0.hasPrefix("$__lazy_storage_$_") }) {
            hints += "If it is lazy, fill an @Observed optional in its place. "
        }
        return hints
    }

    /// The names of an object's stored properties of a type, because key paths do not distinguish them from computed
    /// ones in a class that is not final.
    private static func storedProperties(of type: Any.Type, in object: AnyObject) -> [String] {
        func isOf<Value>(_: Value.Type) -> (Any) -> Bool { { $0 is Value } }
        let isOfClass = type is AnyClass ? _openExistential(type, do: isOf) : { _ in false }
        return sequence(first: Mirror(reflecting: object), next: \.superclassMirror).flatMap(\.children)
            .compactMap { Swift.type(of: $0.value) == type || isOfClass($0.value) ? $0.label : nil }
    }
}
