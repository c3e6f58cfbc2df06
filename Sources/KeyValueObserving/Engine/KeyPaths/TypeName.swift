// What a type is called, for messages.

/// The names of types as they are written.
enum TypeName {
    /// The name of a type: of a private one too, which an optimized build describes as `(Person in _4F3A)`.
    static func text(of type: Any.Type) -> String {
        var rest = "\(type)"[...]
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
