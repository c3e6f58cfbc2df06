// Names of properties, key paths and types, for messages and listings.

/// The names of properties.
///
/// The key path of a property with accessors does not print its name, but the key path of the wrapper's storage does.
/// The name of each observed property is therefore recorded under the property's identity in key paths when the class's
/// declarations are first needed. Before that, the field that stores it gives the name; see `KeyPathComponents.Part`.
/// The names of computed properties come from their getters, if these report themselves, and from tables of keys. A
/// property without a name is written with its type: `computed Int`, or `property Int` if it may be stored.
package enum PropertyNames {
    private static let names = Guarded<[UInt: String]>(
        [
            "count": [\[Int].count, \Set<Int>.count, \[Int: Int].count, \String.count] as [AnyKeyPath],
            "isEmpty": [\[Int].isEmpty, \Set<Int>.isEmpty, \[Int: Int].isEmpty, \String.isEmpty],
            "first": [\[Int].first], "last": [\[Int].last],
        ].reduce(into: [:]) { names, known in
            for id in known.value.compactMap({ KeyPathComponents($0)?.property }) { names[id] = known.key }
        })

    /// Records the name of the property at `keyPath`: `age` for the storage `\Person._age`.
    ///
    /// Without reflection metadata, its storage has no name, but the property is known not to be computed.
    static func note(_ keyPath: AnyKeyPath, storage: AnyKeyPath) {
        let name = name(ofStorage: storage)
        note(keyPath, named: name ?? unnamed(type(of: keyPath).valueType, mayBeStored: true)) {
            name == nil ? $0 : $1
        }
    }

    /// Records the name that a property's getter reports, or that its class's table of names has.
    ///
    /// A name from the storage is better, and stays. A function that is not a getter is written with parentheses, and
    /// gives no name.
    package static func note(_ keyPath: AnyKeyPath, named name: String) {
        if !name.contains("(") { note(keyPath, named: name) { known, _ in known } }
    }

    private static func note(_ keyPath: AnyKeyPath, named name: String, choosing: (String, String) -> String) {
        guard KeyPathComponents.isLayoutKnown else { return noteWhole(keyPath, named: name, choosing: choosing) }
        guard let property = KeyPathComponents(keyPath)?.property else { return }
        names.withLock { $0.merge([property: name], uniquingKeysWith: choosing) }
    }

    /// The names of whole key paths, if their components cannot be read, and how many were recorded.
    private static let wholes = Guarded<(names: [AnyKeyPath: String], count: Int)>(([:], 0))

    /// Records the name of a key path whose components cannot be read.
    ///
    /// The key path is hashed without the lock, since that may run code of its arguments. If another thread records a name
    /// meanwhile, that is repeated.
    private static func noteWhole(
        _ keyPath: AnyKeyPath, named name: String, choosing: (String, String) -> String
    ) {
        while true {
            let before = wholes.withLock { $0 }
            var names = before.names
            names.merge([keyPath: name], uniquingKeysWith: choosing)
            let isRecorded = wholes.withLock { known in
                guard known.count == before.count else { return false }
                known = (names, before.count + 1)
                return true
            }
            if isRecorded { return }
        }
    }

    /// The name of the property with this storage.
    static func name(ofStorage storage: AnyKeyPath) -> String? {
        guard let label = "\(storage)".split(separator: ".").last, label.hasPrefix("_") else { return nil }
        return String(label.dropFirst())
    }

    /// A key path as text, without its root: `address.city`.
    package static func text(of keyPath: AnyKeyPath) -> String {
        guard let parts = KeyPathComponents.parts(of: keyPath) else { return printed(keyPath) }
        var names = parts.map(name)
        if names.contains(nil) {
            for type in parts.map(\.owner) { noteNames(of: type) }
            names = parts.map(name)
        }
        var text = ""
        for (index, part) in parts.enumerated() {
            if part.arguments == nil, index > 0 { text += "." }
            text += names[index] ?? unnamed(part.valueType, mayBeStored: part.mayBeStored(isRead: index == 0))
        }
        return parts.isEmpty ? "self" : text
    }

    private static func name(of part: KeyPathComponents.Part) -> String? {
        if let arguments = part.arguments { return arguments }
        return noted(part) ?? part.stored?.name
    }

    private static func noted(_ part: KeyPathComponents.Part) -> String? {
        part.accessor.flatMap { id in names.withLock { $0[id] } }
    }

    /// Whether a key path starts with a property whose name is known, or with a stored one.
    static func isStart(of keyPath: AnyKeyPath) -> Bool {
        guard let start = KeyPathComponents.parts(of: keyPath)?.first else { return true }
        return start.accessor == nil || noted(start) != nil
    }

    private static func unnamed(_ type: Any.Type, mayBeStored: Bool) -> String {
        "\(mayBeStored ? "property" : "computed") \(TypeName.text(of: type))"
    }

    /// The recorded name of a key path with unknown components, or Swift's description without an address.
    private static func printed(_ keyPath: AnyKeyPath) -> String {
        if let name = wholes.withLock({ $0.names })[keyPath] { return name }
        let (text, type) = ("\(keyPath)", type(of: keyPath))
        if text.contains("<") { return unnamed(type.valueType, mayBeStored: true) }
        let start = "\\\(type.rootType)."
        return (text.hasPrefix(start) ? text.dropFirst(start.count) : text[...]).filter { $0 != "?" && $0 != "!" }
    }

    /// Whether a text has a name for each part; no name contains a space.
    package static func isComplete(_ text: String) -> Bool {
        !text.contains("computed ") && !text.contains("property ")
    }

    private static let unfinished = KeyPathCache<String?>()

    /// The text of a path with an unnamed part that may get a name later; nil if it has none.
    ///
    /// The caller holds a lock. If key paths cannot be read, a name is found by hashing the whole key path, which may run code
    /// of its arguments. Then no part gets a name later, and a property has its own already.
    static func unfinishedText(of keyPath: AnyKeyPath) -> String? {
        if !KeyPathComponents.isLayoutKnown || KeyPathComponents.isOneProperty(keyPath) { return nil }
        var isFinished = true
        return unfinished.fact(of: keyPath) {
            let text = text(of: keyPath)
            isFinished = isComplete(text)
            return isFinished ? nil : text
        } isLasting: {
            isFinished
        }
    }
}

/// The names of types as they are written.
@usableFromInline
package enum TypeName {
    /// The name of a value's type.
    @usableFromInline
    package static func of(_ value: Any) -> String { text(of: type(of: value)) }

    /// The name of a type, even of a private one, which an optimized build describes as `(Person in _4F3A)`.
    @usableFromInline
    package static func text(of type: Any.Type) -> String { written("\(type)") }

    /// A description of a type, without the marks that make the name of a private one unique.
    static func written(_ name: Substring) -> String {
        guard name.utf8.contains(UInt8(ascii: "(")) else { return String(name) }
        var (rest, text) = (name, "")
        while let mark = rest.firstRange(of: " in _"), let open = rest[..<mark.lowerBound].lastIndex(of: "("),
            let close = rest[mark.upperBound...].firstIndex(of: ")")
        {
            text += rest[..<open] + rest[rest.index(after: open)..<mark.lowerBound]
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}
