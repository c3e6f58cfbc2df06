// Converting a number to another type of number, exactly or not at all.
import KeyValueObserving

/// The conversion of numbers, for values that are set by name and for the operators of key paths.
package enum ExactNumber {
    /// A number as a value of another type, if that type has exactly this value.
    ///
    /// Integers and floating-point numbers of all widths convert into each other; so do types outside the standard
    /// library that conform to the same protocols. Any other `Numeric` type, such as `Decimal`, takes whole numbers
    /// through its `init(exactly:)`; what it holds cannot be converted back, for the protocol has no way to ask.
    ///
    /// Infinity and NaN convert among floating-point types only. (A NaN keeps being one, though its payload may be
    /// cut.) Negative zero keeps its sign among floating-point types and is 0 as an integer. A Bool is not a number.
    ///
    /// Never traps.
    ///
    /// - Parameters:
    ///   - value: The number.
    ///   - target: The type wanted, not an optional one.
    /// - Returns: The same number, or nil if `value` is no number or `target` has no such value.
    package static func convert<Target>(_ value: Any, to target: Target.Type) -> Target? {
        let result: Any? =
            if let integer = value as? any BinaryInteger {
                convert(integer: integer, to: target)
            } else if let number = value as? any BinaryFloatingPoint {
                convert(floatingPoint: number, to: target)
            } else if value is any Numeric {
                // Another kind of number cannot be converted, but may already be of the type wanted.
                value
            } else {
                nil
            }
        return result as? Target
    }

    private static func convert(integer: some BinaryInteger, to target: Any.Type) -> Any? {
        if let type = target as? any BinaryInteger.Type { return exactly(integer, as: type) }
        if let type = target as? any BinaryFloatingPoint.Type { return floatingPoint(exactly: integer, as: type) }
        if let type = target as? any Numeric.Type { return exactly(integer, as: type) }
        return nil
    }

    private static func convert(floatingPoint number: some BinaryFloatingPoint, to target: Any.Type) -> Any? {
        if let type = target as? any BinaryInteger.Type { return integer(exactly: number, as: type) }
        if let type = target as? any BinaryFloatingPoint.Type { return floatingPoint(exactly: number, as: type) }
        guard let type = target as? any Numeric.Type else { return nil }
        return integer(exactly: number, as: Int128.self).flatMap { exactly($0, as: type) }
    }

    private static func exactly<Target: Numeric>(_ integer: some BinaryInteger, as: Target.Type) -> Target? {
        Target(exactly: integer)
    }

    private static func integer<Source: BinaryFloatingPoint, Target: BinaryInteger>(
        exactly number: Source, as: Target.Type
    ) -> Target? {
        fitsDouble(Source.self) ? Target(exactly: Double(number)) : Target(exactly: number)
    }

    private static func floatingPoint<Target: BinaryFloatingPoint>(
        exactly integer: some BinaryInteger, as: Target.Type
    ) -> Target? {
        guard fitsDouble(Target.self) else { return Target(exactly: integer) }
        return Double(exactly: integer).flatMap { floatingPoint(exactly: $0, as: Target.self) }
    }

    private static func floatingPoint<Source: BinaryFloatingPoint, Target: BinaryFloatingPoint>(
        exactly number: Source, as: Target.Type
    ) -> Target? {
        if number.isNaN { return Target.nan }
        guard fitsDouble(Source.self) || fitsDouble(Target.self) else { return Target(exactly: number) }
        let double = Double(number)
        guard fitsDouble(Source.self) || Source(double) == number else { return nil }
        let result = Target(double)
        return fitsDouble(Source.self) && !fitsDouble(Target.self) || Double(result) == double ? result : nil
    }

    /// Whether all values of a type are values of Double.
    ///
    /// Then Double is the way from and to it: the generic initializers of some types, such as `CGFloat` where
    /// Foundation is not Apple's, trap.
    private static func fitsDouble<Number: BinaryFloatingPoint>(_: Number.Type) -> Bool {
        Number.exponentBitCount <= Double.exponentBitCount
            && Number.significandBitCount <= Double.significandBitCount
    }
}
