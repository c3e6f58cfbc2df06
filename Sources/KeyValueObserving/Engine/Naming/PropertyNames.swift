// What properties, key paths and types are called, for messages and listings.

/// The names of observed properties, as far as they have been met.
///
/// The key path of a property with accessors does not print its name, that of the wrapper's storage does. So each
/// property's name is noted when its class is asked about it, under what identifies the property in key paths. The
/// names of computed properties come from their getters, if these report themselves, and from tables of keys.
package enum PropertyNames {
    private static let names = Guarded<[UInt: String]>(
        [
            "count": [\[Int].count, \Set<Int>.count, \[Int: Int].count, \String.count] as [AnyKeyPath],
            "isEmpty": [\[Int].isEmpty, \Set<Int>.isEmpty, \[Int: Int].isEmpty, \String.isEmpty],
            "first": [\[Int].first], "last": [\[Int].last],
        ].reduce(into: [:]) { names, known in
            for id in known.value.compactMap({ KeyPathComponents($0)?.property }) { names[id] = known.key }
        })

    /// Notes what the property at `keyPath` is called: `age` for the storage `\Person._age`.
    static func note(_ keyPath: AnyKeyPath, storage: AnyKeyPath) {
        if let name = name(ofStorage: storage) { note(keyPath, named: name) { _, new in new } }
    }

    /// Notes what a property is called by its getter, or by its class's table of names.
    ///
    /// What is known of its storage is better, and stays. A function that is not the getter of a property is written
    /// with parentheses, and names nothing.
    package static func note(_ keyPath: AnyKeyPath, named name: String) {
        if !name.contains("(") { note(keyPath, named: name) { known, _ in known } }
    }

    private static func note(_ keyPath: AnyKeyPath, named name: String, choosing: (String, String) -> String) {
        guard let property = KeyPathComponents(keyPath)?.property else { return }
        names.withLock { $0.merge([property: name], uniquingKeysWith: choosing) }
    }

    /// What the property with this storage is called.
    static func name(ofStorage storage: AnyKeyPath) -> String? {
        guard let label = "\(storage)".split(separator: ".").last, label.hasPrefix("_") else { return nil }
        return String(label.dropFirst())
    }

    /// A key path as text, without its root: `address.city`.
    package static func text(of keyPath: AnyKeyPath) -> String {
        let (description, root) = ("\(keyPath)", type(of: keyPath).rootType)
        let start = "\\\(root)."
        var rest = description.hasPrefix(start) ? description.dropFirst(start.count) : description[...]
        let components = KeyPathComponents.known(of: keyPath)
        var properties = (components?.computed ?? [])[...]
        let areKnown = names.withLock { names in properties.allSatisfy { $0.arguments != nil || names[$0.id] != nil } }
        if !areKnown { ([root] + (components?.owners.map(\.type) ?? [])).forEach(noteNames) }
        var text = ""
        while let character = rest.first {
            if let computed = computedComponent(at: rest) {
                let property = properties.popFirst()
                let name = property.flatMap { property in names.withLock { $0[property.id] } }
                if property?.arguments != nil, text.last == "." { text.removeLast() }
                text += property?.arguments ?? name ?? "computed \(computed.type)"
                rest = computed.rest
            } else {
                // The description of an element of a tuple has two dots: `pair..0`.
                let isDropped = character == "?" || character == "!" || character == "." && text.hasSuffix(".")
                if !isDropped { text.append(character) }
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Whether such a text has a name for each part; no name has a space.
    package static func isComplete(_ text: String) -> Bool { !text.contains("computed ") }

    /// The type of `<computed 0x0123 (Type)>` at the start of `text`, and what follows.
    private static func computedComponent(at text: Substring) -> (type: String, rest: Substring)? {
        // The description of a type has no dots, and no question or exclamation marks.
        guard text.hasPrefix("<computed "), let open = text.firstIndex(of: "("),
            let end = text.ranges(of: ")>").first(where: { ".?!".contains(text[$0.upperBound...].first ?? ".") })
        else { return nil }
        return (TypeName.written(text[open..<end.lowerBound].dropFirst()), text[end.upperBound...])
    }
}

/// The names of types as they are written.
@usableFromInline
package enum TypeName {
    /// The name of a value's type.
    @usableFromInline
    package static func of(_ value: Any) -> String { text(of: type(of: value)) }

    /// The name of a type: of a private one too, which an optimized build describes as `(Person in _4F3A)`.
    @usableFromInline
    package static func text(of type: Any.Type) -> String { written("\(type)") }

    /// A description of a type, without what makes the name of a private one unique.
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
