// Classes that name their properties, as far as listings need them.

/// A class that gives its properties names.
///
/// How it does is the matter of the products `KeyValueCoding` and `KeyValueObservingMacros`.
public protocol _KeyValueNaming: KeyValueObservable {
    /// Has the names known that the class gives its properties.
    static func _noteNames()
}

extension PropertyNames {
    /// Has the names known that a class gives its properties, if it does.
    static func noteNames(of type: Any.Type) {
        (type as? any _KeyValueNaming.Type)?._noteNames()
    }
}
