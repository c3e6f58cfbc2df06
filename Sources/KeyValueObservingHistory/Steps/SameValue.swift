// Comparing values of any type.

/// Compares values whose types need not be `Equatable`.
enum SameValue {
    /// Whether a change from one value to another changes nothing.
    static func isUnchanged<Value>(_ old: Value, _ new: Value) -> Bool {
        // If `==` finds a difference, there is a change, so most changes need no further comparison.
        if let old = old as? any Equatable { return isEqual(old, new) }
        return areSame(old, new, ifUnknown: false)
    }

    /// Whether two values are the same; `unknown` if that cannot be determined, as for closures.
    ///
    /// Values are the same if they are equal by `==`, copies of one value, or both NaN, or if they consist of such
    /// values. All other objects are compared by identity.
    static func areSame<Value>(_ left: Value, _ right: Value, ifUnknown unknown: Bool = true) -> Bool {
        if areSameBits(left, right) { return true }
        let equatable = left as? any Equatable
        if equatable.map({ isEqual($0, right) }) ?? false { return true }
        if let left = left as? any FloatingPoint, let right = right as? any FloatingPoint {
            return left.isNaN && right.isNaN
        }
        let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
        guard type(of: left as Any) == type(of: right as Any), leftMirror.children.count == rightMirror.children.count
        else { return false }
        switch leftMirror.displayStyle {
        case .class?: return (left as AnyObject) === (right as AnyObject)
        case .optional? where leftMirror.children.isEmpty: return true
        case .collection?:
            guard let left = left as? any Collection else { return unknown }
            return areSameElements(left, right, ifUnknown: unknown)
        // A set or a dictionary does not find a key that is not equal to itself, so such a key proves nothing.
        case .set?:
            guard let left = left as? Set<AnyHashable>, let right = right as? Set<AnyHashable> else { return unknown }
            return left.allSatisfy { !left.contains($0) || right.contains($0) }
        case .dictionary?: return (left as? any Entries)?.areSame(as: right, ifUnknown: unknown) ?? unknown
        default:
            if leftMirror.children.isEmpty { return equatable == nil && unknown }
            return zip(leftMirror.children, rightMirror.children).allSatisfy {
                $0.label == $1.label && areSame($0.value, $1.value, ifUnknown: unknown)
            }
        }
    }

    /// Compares elements by their type, which needs no mirror for identical objects.
    private static func areSameElements<Elements: Collection>(
        _ left: Elements, _ right: Any, ifUnknown unknown: Bool
    ) -> Bool {
        guard let right = right as? Elements else { return false }
        // Identical objects have identical memory.
        let isSameMemory = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                unsafe UnsafeRawBufferPointer(left).elementsEqual(UnsafeRawBufferPointer(right))
            }
        }
        return isSameMemory == true || zip(left, right).allSatisfy { areSame($0, $1, ifUnknown: unknown) }
    }

    private static func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool {
        (right as? Left).map { left == $0 || areSameBits(left, $0) } ?? false
    }

    private static func areSameBits<Value>(_ left: Value, _ right: Value) -> Bool {
        unsafe withUnsafeBytes(of: left) { left in
            unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
        }
    }
}

/// A dictionary with its types.
private protocol Entries {
    func areSame(as other: Any, ifUnknown unknown: Bool) -> Bool
}

extension Dictionary: Entries {
    fileprivate func areSame(as other: Any, ifUnknown unknown: Bool) -> Bool {
        guard let other = other as? Self else { return false }
        return allSatisfy { key, value in
            self[key] == nil || other[key].map { SameValue.areSame(value, $0, ifUnknown: unknown) } ?? false
        }
    }
}
