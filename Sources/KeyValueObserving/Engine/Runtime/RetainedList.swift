// A list of objects that is walked without counting references.

#if KEY_VALUE_OBSERVING_PLAIN
/// A list of objects that never changes.
struct RetainedList<Element: AnyObject> {
    private let elements: ContiguousArray<Element>

    init(_ elements: ContiguousArray<Element>) {
        self.elements = elements
    }

    var count: Int { elements.count }

    func withElement<Result>(at index: Int, _ body: (Element) -> Result) -> Result { body(elements[index]) }
}
#else
/// A list of objects that never changes, which retains them until it goes.
///
/// An array would count a reference to each element that is looked at. Here an element is lent to a closure while the
/// caller holds the list, which holds the element.
@safe final class RetainedList<Element: AnyObject> {
    private let elements: UnsafeMutablePointer<Unmanaged<Element>>
    let count: Int

    init(_ elements: ContiguousArray<Element>) {
        count = elements.count
        unsafe self.elements = .allocate(capacity: elements.count)
        for (index, element) in elements.enumerated() {
            unsafe (self.elements + index).initialize(to: .passRetained(element))
        }
    }

    deinit {
        for index in 0..<count { unsafe elements[index].release() }
        unsafe elements.deallocate()
    }

    @inline(__always)
    func withElement<Result>(at index: Int, _ body: (Element) -> Result) -> Result {
        unsafe elements[index]._withUnsafeGuaranteedRef(body)
    }
}
#endif
