// Going along a key path, property by property.

/// How far the evaluation of a key path has come, if each of its parts is a property that is read by itself.
struct KeyPathWay {
    private var rest: ArraySlice<KeyPathComponents.Component>?
    /// The last property.
    let end: KeyPathComponents.Component?

    init(_ keyPath: AnyKeyPath) {
        rest = KeyPathComponents(keyPath).map { $0.components[...] }
        end = rest?.last { !$0.isOptional }
    }

    /// Goes on over a property.
    mutating func read(_ part: KeyPathComponents.Component?) {
        guard let part, var rest else {
            self.rest = nil
            return
        }
        // What is stored elsewhere is read without a report.
        while let next = rest.first, next != part, !next.isComputed { rest.removeFirst() }
        self.rest = rest.popFirst() == part ? rest : nil
    }

    /// Whether the property that was read last is the end.
    var isAtEnd: Bool { rest?.allSatisfy(\.isOptional) ?? false }
}
