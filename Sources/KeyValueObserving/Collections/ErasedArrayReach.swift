// How a view whose elements may be of any type gets at an array whose elements have one.

extension ObservedMutableProperty {
    /// A view of the same array whose elements may be of any type.
    ///
    /// - Returns: The view.
    package func ofAny<Element>(converting convert: @escaping (Any) -> Element) -> ObservedMutableArray<Any>
    where Value == [Element] {
        ObservedMutableArray<Any>(ErasedArrayReach(self, converting: convert))
    }
}

/// Makes an array of any elements of an array whose elements have a type.
private final class ErasedArrayReach<Element>: PropertyReach<[Any]>, ConvertedElements {
    private let elements: ObservedMutableProperty<[Element]>
    private let convert: (Any) -> Element

    init(_ elements: ObservedMutableProperty<[Element]>, converting convert: @escaping (Any) -> Element) {
        self.elements = elements
        self.convert = convert
        super.init()
    }

    override var value: [Any] {
        get { elements.value }
        set { elements.value = newValue.map(convert) }
        _modify {
            var value = elements.value as [Any]
            // An access that throws changes the array all the same.
            defer { elements.value = value.map(convert) }
            yield &value
        }
    }

    override func set(_ newValue: [Any]) { elements.reach.set(newValue.map(convert)) }

    override var name: String { elements.reach.name }

    override var current: [Any] { elements.reach.current }

    override var converted: (any ConvertedElements)? { self }

    var count: Int { elements.count }

    var currentCount: Int { elements.reach.current.count }

    func currentElements(at positions: Positions) -> [Any] { elements.currentElements(at: positions) }

    func element(at position: Int) -> Any { elements[position] }

    override func change(
        _ edit: ElementsEdit<[Any]>, old: ([Any]) -> [Any]?, apply: (inout [Any]) -> Void
    ) {
        guard let positions = edit.positions else { preconditionFailure("an array's elements have positions") }
        elements.change(edit.kind, at: positions, to: (edit.elements ?? []).map(convert))
    }
}
