// How a view of an array by name gets at its elements, whose type it does not know.

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
            let elements = root.mutable(keyPath)
            return (elements as Any) as? ObservedMutableArray<Any>
                ?? ObservedMutableProperty(ConvertingReach(elements, key: key, of: type(of: object)))
        }
        return (type(of: keyPath).rootType as? any KeyValueObservable.Type).flatMap { open($0) }
    }
}

/// Makes an array of any elements of an array whose elements have a type.
final class ConvertingReach<Element>: PropertyReach<[Any]>, ConvertedElements {
    private let elements: ObservedMutableProperty<[Element]>
    private let key: String
    private let objectType: Any.Type

    init(_ elements: ObservedMutableProperty<[Element]>, key: String, of objectType: Any.Type) {
        self.elements = elements
        self.key = key
        self.objectType = objectType
    }

    override var value: [Any] {
        get { elements.value }
        set { elements.value = newValue.map(converted) }
        _modify {
            var value = elements.value as [Any]
            // An access that throws changes the array all the same.
            defer { elements.value = value.map(converted) }
            yield &value
        }
    }

    override var name: String { elements.reach.name }

    override var current: [Any] { elements.reach.current }

    override var converted: (any ConvertedElements)? { self }

    var count: Int { elements.count }

    var currentCount: Int { elements.reach.current.count }

    func currentElements(at positions: Positions) -> [Any] { elements.currentElements(at: positions) }

    func element(at position: Int) -> Any { elements[position] }

    override func change(
        _ edit: ElementsEdit<[Any]>, old: ([Any]) -> [Any]?, apply: (inout [Any], _ isAsPlanned: Bool) -> Void
    ) {
        guard let positions = edit.positions else { preconditionFailure("an array's elements have positions") }
        withoutActuallyEscaping(apply) { apply in
            elements.change(edit.kind, at: positions, to: (edit.elements ?? []).map(converted)) { value in
                // A prior handler changed the array: the change is what it would be through the view of the property.
                var elements = value as [Any]
                apply(&elements, false)
                value = elements.map(self.converted)
            }
        }
    }

    private func converted(_ element: Any) -> Element {
        if let element = ValueConversion.convert(optional: element, to: Element.self) { return element }
        let mismatch = KeyValueCodingError.elementMismatch(element, at: key, of: objectType, wanted: Element.self)
        fatalError("\(mismatch) Nothing was changed.")
    }
}
