// The operators @min and @max.
import KeyValueObserving

extension CollectionOperator {
    /// The first of the values in an order, and of equal ones the one met first; nil if there are none.
    ///
    /// A floating-point NaN, which has no place in any order, counts only if there is nothing else.
    static func first(of values: [Any], inOrder isBefore: (Any, Any) throws -> Bool) throws -> Any? {
        let ordered = values.filter { ((BoxedNumber.opened($0) as? any FloatingPoint)?.isNaN ?? false) == false }
        guard var first = ordered.first else { return values.first }
        guard BoxedNumber.opened(first) is any Comparable else { throw Refusal(.typeMismatch, first) }
        for value in ordered.dropFirst() {
            if try isBefore(value, first) { first = value }
        }
        return first
    }

    /// Whether a value is less than another one of its type, or one number less than another.
    static func isLess(_ left: Any, _ right: Any) throws -> Bool {
        let (left, right) = (BoxedNumber.opened(left), BoxedNumber.opened(right))
        guard let left = left as? any Comparable else { throw Refusal(.typeMismatch, left) }
        guard let right = right as? any Comparable else { throw Refusal(.typeMismatch, right) }
        // One may be of a subclass of the other's class, so both are tried.
        guard
            let result = isLess(left, than: right) ?? isLess(right, beingGreaterThan: left)
                ?? isLess(left, numberThan: right)
        else { throw Refusal(.typeMismatch, right) }
        return result
    }

    private static func isLess<Value: Comparable>(_ left: Value, than right: Any) -> Bool? {
        (right as? Value).map { left < $0 }
    }

    private static func isLess<Value: Comparable>(_ right: Value, beingGreaterThan left: Any) -> Bool? {
        (left as? Value).map { $0 < right }
    }

    /// Compares numbers of different types by value, without rounding either.
    private static func isLess(_ left: any Comparable, numberThan right: any Comparable) -> Bool? {
        if let left = left as? any BinaryInteger {
            if let right = right as? any BinaryInteger { return isLess(integer: left, than: right) }
            if let right = right as? any BinaryFloatingPoint { return isLess(integer: left, than: right) }
            return exactly(left, like: right).flatMap { isLess(right, beingGreaterThan: $0) }
        }
        if let right = right as? any BinaryInteger {
            if let left = left as? any BinaryFloatingPoint { return isGreater(integer: right, than: left) }
            return exactly(right, like: left).flatMap { isLess(left, than: $0) }
        }
        // The narrower type is the one that converts.
        guard left is any BinaryFloatingPoint, right is any BinaryFloatingPoint else { return nil }
        return exactly(right, like: left).flatMap { isLess(left, than: $0) }
            ?? exactly(left, like: right).flatMap { isLess(right, beingGreaterThan: $0) }
    }

    private static func exactly<Value>(_ number: Any, like: Value) -> Any? {
        ExactNumber.convert(number, to: Value.self)
    }

    private static func isLess(integer: some BinaryInteger, than other: some BinaryInteger) -> Bool {
        integer < other
    }

    private static func isLess<Integer: BinaryInteger>(
        integer: Integer, than number: some BinaryFloatingPoint
    ) -> Bool {
        let floor = number.rounded(.down)
        // A whole number that the integer's type lacks is beyond its range, and its sign says at which end.
        guard let whole = ExactNumber.convert(floor, to: Integer.self) else { return floor > 0 }
        return integer < whole || integer == whole && floor < number
    }

    private static func isGreater<Integer: BinaryInteger>(
        integer: Integer, than number: some BinaryFloatingPoint
    ) -> Bool {
        let floor = number.rounded(.down)
        guard let whole = ExactNumber.convert(floor, to: Integer.self) else { return floor < 0 }
        return integer > whole
    }
}
