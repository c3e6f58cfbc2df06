// What properties and key paths are called, for messages and listings.

/// The names of observed properties, as far as they have been met.
///
/// The key path of a property with accessors does not print its name, that of the wrapper's storage does. So each
/// property's name is noted when its class is asked about it, under what identifies the property in key paths. The
/// names of computed properties come from their getters, if these report themselves, and from tables of keys.
package enum PropertyNames {
    private static let names = Guarded<[UInt: String]>([:])
    /// The same by the key paths themselves, where these cannot be read; and how often names were noted.
    private static let namesByKeyPath = Guarded<(names: [AnyKeyPath: String], version: Int)>(([:], 0))

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
        if let property = KeyPathComponents(keyPath)?.property {
            names.withLock { $0.merge([property: name], uniquingKeysWith: choosing) }
        } else if !KeyPathComponents.isLayoutKnown {
            noteWithoutComponents(keyPath, named: name, choosing: choosing)
        }
    }

    /// Hashes the key path without the lock, for that may run code of its arguments.
    private static func noteWithoutComponents(
        _ keyPath: AnyKeyPath, named name: String, choosing: (String, String) -> String
    ) {
        var isNoted = false
        while !isNoted {
            let known = namesByKeyPath.withLock { $0 }
            let names = known.names.merging([keyPath: name], uniquingKeysWith: choosing)
            isNoted = namesByKeyPath.withLock { current in
                guard current.version == known.version else { return false }
                current = (names, known.version + 1)
                return true
            }
            withExtendedLifetime(known) {}
        }
    }

    /// What the property with this storage is called.
    static func name(ofStorage storage: AnyKeyPath) -> String? {
        guard let label = "\(storage)".split(separator: ".").last, label.hasPrefix("_") else { return nil }
        return String(label.dropFirst())
    }

    /// A key path as text, without its root: `address.city`.
    package static func text(of keyPath: AnyKeyPath) -> String {
        if !KeyPathComponents.isLayoutKnown {
            if let name = knownName(of: keyPath) { return name }
            noteNames(ofRoot: keyPath)
            if let name = knownName(of: keyPath) { return name }
        }
        let description = "\(keyPath)"
        let root = "\\\(type(of: keyPath).rootType)."
        var rest = description.hasPrefix(root) ? description.dropFirst(root.count) : description[...]
        var properties = computedProperties(of: keyPath)[...]
        if !areKnown(properties) { noteNames(ofRoot: keyPath) }
        var text = ""
        while let character = rest.first {
            if rest.hasPrefix(computedMark), let (type, length) = computedComponent(at: rest) {
                let property = properties.popFirst()
                let name = property.flatMap { property in names.withLock { $0[property] } }
                text += name ?? "<computed \(type)>"
                rest = rest.dropFirst(length)
            } else {
                // The description of an element of a tuple has two dots: `pair..0`.
                let isDropped = character == "?" || character == "!" || character == "." && text.hasSuffix(".")
                if !isDropped { text.append(character) }
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// A key path as it is written, as far as that can be told, for a message that ends the program.
    ///
    /// The key path of a stored property does not tell its name if its class is not final. Then it is the one stored
    /// property that has the key path's value, if there is only one; where there are several, all of them are named.
    static func likelyText(of keyPath: AnyKeyPath, in object: AnyObject) -> String {
        let root = TypeName.text(of: type(of: keyPath).rootType)
        let text = text(of: keyPath)
        guard text.hasPrefix(computedMark),
            KeyPathComponents(keyPath)?.components.count == 1 || !KeyPathComponents.isLayoutKnown,
            let value = Tracking.suspended({ (object as Any)[keyPath: keyPath] })
        else { return "\\\(root).\(text)" }
        let names = storedNames(of: object, like: value)
        switch names.count {
        case 0: return "\\\(root).\(text)"
        case 1: return "\\\(root).\(names[0])"
        default: return "one of its properties \(names.joined(separator: ", "))"
        }
    }

    /// The names of an object's stored properties that have a value.
    private static func storedNames(of object: AnyObject, like value: Any) -> [String] {
        func isSame<Value>(_ other: Value) -> Bool { (value as? Value).map { isSameCopy($0, other) } ?? false }
        var mirror: Mirror? = Mirror(reflecting: object)
        var names: [String] = []
        while let found = mirror {
            for (label, child) in found.children where type(of: child) == type(of: value) {
                if let label, _openExistential(child, do: isSame) { names.append(label) }
            }
            mirror = found.superclassMirror
        }
        return names
    }

    private static func areKnown(_ properties: ArraySlice<UInt>) -> Bool {
        names.withLock { names in properties.allSatisfy { names[$0] != nil } }
    }

    /// Compares key paths without the lock, for that may run code of their arguments.
    private static func knownName(of keyPath: AnyKeyPath) -> String? { namesByKeyPath.withLock { $0 }.names[keyPath] }

    private static let computedMark = "<computed "

    private static func computedProperties(of keyPath: AnyKeyPath) -> [UInt] {
        KeyPathComponents(keyPath)?.components.compactMap {
            if case .computed(let id) = $0 { id } else { nil }
        } ?? []
    }

    /// The type and the length of `<computed 0x0123 (Type)>` at the start of `text`.
    private static func computedComponent(at text: Substring) -> (type: Substring, length: Int)? {
        guard let open = text.firstIndex(of: "(") else { return nil }
        var depth = 0
        for index in text[open...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            guard depth == 0 else { continue }
            let end = text.index(after: index)
            guard end < text.endIndex, text[end] == ">" else { return nil }
            return (text[text.index(after: open)..<index], text.distance(from: text.startIndex, to: end) + 1)
        }
        return nil
    }
}
