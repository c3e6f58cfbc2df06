// What a type is called, for messages.

/// The names of types as they are written.
@usableFromInline
enum TypeName {
    /// The name of a value's type.
    @usableFromInline
    static func of(_ value: Any) -> String { text(of: type(of: value)) }

    /// The name of a type: of a private one too, which an optimized build describes as `(Person in _4F3A)`.
    @usableFromInline
    static func text(of type: Any.Type) -> String {
        let name = "\(type)"
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        var rest = name[...]
        var text = ""
        while let mark = rest.firstRange(of: " in _"), let open = rest[..<mark.lowerBound].lastIndex(of: "("),
            let close = rest[mark.upperBound...].firstIndex(of: ")")
        {
            text += rest[..<open] + rest[rest.index(after: open)..<mark.lowerBound]
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}
