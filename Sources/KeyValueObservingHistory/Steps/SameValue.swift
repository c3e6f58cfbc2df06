// Whether a property has the value that it is expected to have.

/// Compares values whose types need not be `Equatable`.
enum SameValue {
    /// Whether two values are the same, as far as that can be told.
    ///
    /// `Equatable` values are compared by `==`, except that copies of one value are the same. Objects are
    /// compared by identity, optionals, arrays and dictionaries by what is in them. Of other values it cannot be told that
    /// they differ.
    static func areSame<Value>(_ left: Value, _ right: Value) -> Bool {
        areSameBits(left, right) || areSameContents(left, right)
    }

    private static func areSameContents(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? any Equatable { return isEqual(left, right) }
        let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
        guard leftMirror.displayStyle == rightMirror.displayStyle else { return false }
        switch leftMirror.displayStyle {
        case .class?: return (left as AnyObject) === (right as AnyObject)
        case .collection?, .optional?, .tuple?, .struct?:
            return leftMirror.children.count == rightMirror.children.count
                && zip(leftMirror.children, rightMirror.children).allSatisfy { areSame($0.value, $1.value) }
        case .dictionary?:
            return areSameEntries(left, right)
        default: return true
        }
    }

    private static func areSameEntries(_ left: Any, _ right: Any) -> Bool {
        guard let left = left as? [AnyHashable: Any], let right = right as? [AnyHashable: Any] else { return true }
        return left.count == right.count
            && left.allSatisfy { key, value in right[key].map { areSame(value, $0) } ?? false }
    }

    private static func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool {
        (right as? Left).map { left == $0 } ?? false
    }

    private static func areSameBits<Value>(_ left: Value, _ right: Value) -> Bool {
        unsafe withUnsafeBytes(of: left) { left in
            unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
        }
    }
}
