// The names of getters in the program's symbols.
import CKeyValueObserving

/// The names of properties by their identity in key paths: the address of a getter, or of its method descriptor.
///
/// The linker writes each address with its mangled name into the program's file, unless an option prevents it; the name
/// of a getter is exact. ``areKnown`` tries this on a sample class. If the outcome differs, without symbols, in a
/// shared library, and on platforms other than Linux, no getter has a name. The file is searched once for each getter
/// that needs a name and has none from another source.
enum GetterSymbols {
    private struct Getter {
        let type: String
        let property: String
    }

    private static let getters = Guarded<[UInt: Getter?]>([:])

    /// The name of a property of a type or of a superclass; nil if it is not known.
    static func name(of getter: UInt, in type: Any.Type) -> String? {
        guard areKnown else { return nil }
        let known = getters.withLock { $0[getter] }
        let found = known ?? find(getter)
        if known == nil { getters.withLock { $0[getter] = .some(found) } }
        return found.flatMap { isType(type, named: $0.type) ? $0.property : nil }
    }

    private static func find(_ getter: UInt) -> Getter? {
        guard let symbol = unsafe kvo_getter_symbol(getter) else { return nil }
        defer { unsafe kvo_free(symbol) }
        // `App.(Person in _4F3A).age.getter : Swift.Int`, or `age.getter : Swift.Int in Person #1 in App.run()`, and
        // its method descriptor.
        let text = TypeName.written(unsafe String(cString: symbol)[...])
        guard let end = text.firstRange(of: ".getter : ") else { return nil }
        let path = text[..<end.lowerBound].split(separator: ".").map { String($0.split(separator: " ").last ?? $0) }
        if path.count > 1 { return Getter(type: path[path.count - 2], property: path[path.count - 1]) }
        guard let local = text.ranges(of: " #").compactMap({ text[..<$0.lowerBound].split(separator: " ").last }).last
        else { return nil }
        return Getter(type: String(local), property: path[0])
    }

    /// Whether a type, or one of its superclasses, has a name.
    ///
    /// Two getters with the same code may have one address.
    private static func isType(_ type: Any.Type, named name: String) -> Bool {
        sequence(first: type) { ($0 as? AnyClass).flatMap { PropertyOverrides.superclass(of: $0) } }
            .contains { TypeName.text(of: $0).prefix { $0 != "<" } == name }
    }

    /// Whether the names of the samples' getters are found.
    static let areKnown = RuntimeAssumption.outcome {
        KeyPathComponents(\Sample.number)?.property.flatMap(find)?.property == "number"
            && KeyPathComponents(\LastSample.other)?.property.flatMap(find)?.type == "LastSample"
    }
}

private class Sample {
    var number: Int {
        get { 21 }
        set {}
    }
}

private final class LastSample: Sample {
    var other: Int {
        get { 22 }
        set {}
    }
}
