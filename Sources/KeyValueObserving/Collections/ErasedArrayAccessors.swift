// Access to a typed array through a view with elements of any type.

extension ObservedMutableProperty {
    /// A view of the same array whose elements may be of any type.
    ///
    /// - Returns: The view.
    package func ofAny<Element>(converting convert: @escaping (Any) -> Element) -> ObservedMutableArray<Any>
    where Value == [Element] {
        ObservedMutableArray<Any>(
            ViewBacking(
                object: backing.object, keyPath: backing.keyPath,
                ErasedArrayAccessors(elements: self, convert: convert)))
    }
}

/// Converts between an array of any elements and a typed array.
private struct ErasedArrayAccessors<Element>: ViewAccessors {
    let elements: ObservedMutableProperty<[Element]>
    let convert: (Any) -> Element

    subscript(_: ViewBacking<[Any]>) -> [Any] {
        get { elements.value }
        nonmutating set { elements.value = newValue.map(convert) }
        nonmutating _modify {
            var value = elements.value as [Any]
            // Even an access that throws changes the array.
            defer { elements.value = value.map(convert) }
            yield &value
        }
    }

    func set(_ newValue: [Any], in _: ViewBacking<[Any]>) { elements.backing.set(newValue.map(convert)) }

    func current(in _: ViewBacking<[Any]>) -> [Any] { elements.backing.current }

    func beginStep(in _: ViewBacking<[Any]>) -> Bool { elements.backing.beginStep() }

    func endStep(in _: ViewBacking<[Any]>) { elements.backing.endStep() }

    func change(
        _ edit: PlannedEdit<[Any]>, old: ([Any]) -> [Any]?, apply: (inout [Any]) -> Void, in _: ViewBacking<[Any]>
    ) {
        guard let positions = edit.positions else { preconditionFailure("an array's elements have positions") }
        elements.change(edit.kind, at: positions, to: (edit.elements ?? []).map(convert))
    }
}
