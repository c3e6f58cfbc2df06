// How a view whose elements may be of any type gets at an array whose elements have one.

extension ObservedMutableProperty {
    /// A view of the same array whose elements may be of any type.
    ///
    /// - Returns: The view.
    package func ofAny<Element>(converting convert: @escaping (Any) -> Element) -> ObservedMutableArray<Any>
    where Value == [Element] {
        ObservedMutableArray<Any>(ErasedArrayBacking(self, converting: convert))
    }
}

/// Makes an array of any elements of an array whose elements have a type.
private final class ErasedArrayBacking<Element>: ViewBacking<[Any]> {
    private let elements: ObservedMutableProperty<[Element]>
    private let convert: (Any) -> Element

    init(_ elements: ObservedMutableProperty<[Element]>, converting convert: @escaping (Any) -> Element) {
        self.elements = elements
        self.convert = convert
        super.init(object: elements.backing.object, keyPath: elements.backing.keyPath)
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

    override func set(_ newValue: [Any]) { elements.backing.set(newValue.map(convert)) }

    override var current: [Any] { elements.backing.current }

    override func beginStep() -> Bool { elements.backing.beginStep() }

    override func endStep() { elements.backing.endStep() }

    override func convertedCount(current isCurrent: Bool) -> Int? {
        isCurrent ? elements.currentBounds.count : elements.count
    }

    override func convertedElements(at positions: Positions, current isCurrent: Bool) -> [Any]? {
        let value = isCurrent ? elements.backing.current : elements.value
        return ObservedMutableProperty<[Element]>.elements(of: value, at: positions)
    }

    override func change(_ edit: PlannedEdit<[Any]>, old: ([Any]) -> [Any]?, apply: (inout [Any]) -> Void) {
        guard let positions = edit.positions else { preconditionFailure("an array's elements have positions") }
        elements.change(edit.kind, at: positions, to: (edit.elements ?? []).map(convert))
    }
}
