// A list without repetitions.

/// Objects, each once, in the order in which they came.
///
/// There are few as a rule, and these are searched. Many are found by their identity.
package struct DistinctObjects<Object: AnyObject> {
    package private(set) var elements: ContiguousArray<Object>
    /// What is in `elements`, if that is much.
    private var identities: Set<ObjectIdentifier>

    private static var few: Int { 8 }

    /// A list of objects that are all different.
    package init(_ elements: ContiguousArray<Object> = []) {
        self.elements = elements
        identities = elements.count > Self.few ? Set(elements.map(ObjectIdentifier.init)) : []
    }

    package func contains(_ object: Object) -> Bool {
        identities.isEmpty ? elements.contains { $0 === object } : identities.contains(ObjectIdentifier(object))
    }

    /// Adds an object; false if it is there.
    package mutating func append(_ object: Object) -> Bool {
        guard !contains(object) else { return false }
        elements.append(object)
        if !identities.isEmpty {
            identities.insert(ObjectIdentifier(object))
        } else if elements.count > Self.few {
            identities = Set(elements.map(ObjectIdentifier.init))
        }
        return true
    }

    package mutating func removeLast() {
        identities.remove(ObjectIdentifier(elements.removeLast()))
    }
}
