// What a collection was before some of its elements changed.

/// A collection that can tell what it was before a change of elements.
protocol UndoableElements {
    /// The collection as it was.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - positions: Where, in an ordered collection.
    ///   - old: The elements that left.
    ///   - new: The elements that came.
    /// - Returns: The collection without those that came and with those that left.
    func undoing(_ kind: KeyValueChange, at positions: [Int], old: Self?, new: Self?) -> Self
}

extension UndoableElements where Self: RangeReplaceableCollection & MutableCollection, Index == Int {
    func undoing(_ kind: KeyValueChange, at positions: [Int], old: Self?, new: Self?) -> Self {
        var result = self
        switch kind {
        case .setting:
            break
        case .insertion:
            for position in positions.reversed() { result.remove(at: position) }
        case .removal:
            for (position, element) in zip(positions, old ?? Self()) { result.insert(element, at: position) }
        case .replacement:
            let (old, new) = (old ?? Self(), new ?? Self())
            if old.count == new.count {
                for (position, element) in zip(positions, old) { result[position] = element }
            } else if let start = positions.first {
                result.replaceSubrange(start..<(start + new.count), with: old)
            }
        }
        return result
    }
}

extension Array: UndoableElements {}
extension ContiguousArray: UndoableElements {}

extension Set: UndoableElements {
    func undoing(_ kind: KeyValueChange, at positions: [Int], old: Self?, new: Self?) -> Self {
        subtracting(new ?? []).union(old ?? [])
    }
}

extension Dictionary: UndoableElements {
    func undoing(_ kind: KeyValueChange, at positions: [Int], old: Self?, new: Self?) -> Self {
        let added = new ?? [:]
        return filter { added[$0.key] == nil }.merging(old ?? [:]) { $1 }
    }
}
