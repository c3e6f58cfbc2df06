// How a view of an array by name gets at its elements, whose type it does not know.
import KeyValueObserving

/// An array, when the type of its elements is not known.
protocol CodedArray {
    /// A view of an object's property of this type; nil if the property cannot be set or is not observable.
    static func view(of object: AnyObject, at keyPath: AnyKeyPath, key: String) -> ObservedMutableArray<Any>?
}

extension Array: CodedArray {
    static func view(of object: AnyObject, at keyPath: AnyKeyPath, key: String) -> ObservedMutableArray<Any>? {
        func open<Root: KeyValueObservable>(_: Root.Type) -> ObservedMutableArray<Any>? {
            guard let root = object as? Root, let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Self> else {
                return nil
            }
            let (elements, objectType) = (root.mutable(keyPath), type(of: root))
            return (elements as Any) as? ObservedMutableArray<Any>
                ?? elements.ofAny { element in
                    if let element = ValueConversion.convert(optional: element, to: Element.self) { return element }
                    let mismatch = KeyValueCodingError.elementMismatch(
                        element, at: key, of: objectType, wanted: Element.self)
                    fatalError("\(mismatch) Nothing was changed.")
                }
        }
        return (type(of: keyPath).rootType as? any KeyValueObservable.Type).flatMap { open($0) }
    }
}
