// The operators @sum and @avg.
import KeyValueObserving

extension CollectionOperator {
    /// The sum of numbers; nil counts as 0, and the sum of no values is the Int 0.
    static func sum(of values: [Any?]) throws -> Any {
        try total(of: values).sum
    }

    /// The sum of numbers divided by their count; nil counts as 0, and no values have no average.
    static func average(of values: [Any?]) throws -> Any? {
        guard !values.isEmpty else { return nil }
        return try total(of: values).average(over: values.count)
    }

    private static func total(of values: [Any?]) throws -> NumberTotal {
        var total = NumberTotal()
        for value in values {
            if let value { try total.add(value) }
        }
        return total
    }
}

/// A sum of numbers of whatever types.
///
/// - Integers of all widths are summed exactly. The sum is an `Int` if it fits, otherwise an `Int128` or `UInt128`.
/// - Floating-point numbers, and integers beside them, sum up to a `Double`.
/// - Any other `Numeric` type, such as `Decimal`, is summed in itself, with integers converted exactly. Two such
///   types, or one and a floating-point number, have no common type.
struct NumberTotal {
    private var integers = IntegerTotal()
    private var floatingPoint: Double?
    private var other: (any Numeric)?

    mutating func add(_ value: Any) throws {
        guard include(value), other == nil || floatingPoint == nil else {
            throw CollectionOperator.Refusal(.typeMismatch, value)
        }
    }

    private mutating func include(_ value: Any) -> Bool {
        let value = BoxedNumber.opened(value)
        if let integer = value as? any BinaryInteger {
            return integers.add(integer)
        }
        if let number = value as? any BinaryFloatingPoint {
            floatingPoint = (floatingPoint ?? 0) + Double(number)
            return true
        }
        guard let number = value as? any Numeric else { return false }
        guard let other else {
            self.other = number
            return true
        }
        guard let sum = Self.sum(other, number) else { return false }
        self.other = sum
        return true
    }

    private static func sum<Number: Numeric>(_ number: Number, _ other: Any) -> (any Numeric)? {
        (other as? Number).map { number + $0 }
    }

    /// The sum in the type that suits the numbers.
    var sum: any Numeric {
        get throws {
            if let floatingPoint { return floatingPoint + integers.double }
            guard let integer = integers.value else {
                throw CollectionOperator.Refusal(.typeMismatch, integers.double)
            }
            guard let other else { return integer }
            guard let sum = Self.sum(other, integer: integer) else {
                throw CollectionOperator.Refusal(.typeMismatch, integer)
            }
            return sum
        }
    }

    private static func sum<Number: Numeric>(_ number: Number, integer: some BinaryInteger) -> (any Numeric)? {
        Number(exactly: integer).map { number + $0 }
    }

    /// The sum divided by a count: a `Double`, or the numbers' own type if that is neither integer nor floating-point.
    func average(over count: Int) throws -> Any {
        if other == nil { return ((floatingPoint ?? 0) + integers.double) / Double(count) }
        let sum = try sum
        guard let comparable = sum as? any Numeric & Comparable, let average = Self.quotient(comparable, count) else {
            throw CollectionOperator.Refusal(.typeMismatch, sum)
        }
        return average
    }

    private static func quotient<Number: Numeric & Comparable>(_ number: Number, _ count: Int) -> Any? {
        DecimalDivision(Number.self).quotient(of: number, by: count)
    }
}

/// A sum of integers of up to 128 bits each, in 192 bits.
struct IntegerTotal {
    /// The two's complement of the sum: its lower 128 bits and those above.
    private var low: UInt128 = 0
    private var high = 0

    /// Adds a number; returns false if it has more than 128 bits.
    mutating func add(_ number: some BinaryInteger) -> Bool {
        guard let magnitude = UInt128(exactly: number.magnitude) else { return false }
        let isNegative = number < 0
        let (result, overflow) =
            isNegative ? low.subtractingReportingOverflow(magnitude) : low.addingReportingOverflow(magnitude)
        low = result
        if overflow { high += isNegative ? -1 : 1 }
        return true
    }

    /// The sum as `Int`, or else as `Int128` or `UInt128`; nil if none of them holds it.
    var value: (any BinaryInteger)? {
        if high == 0 { return Int(exactly: low) ?? Int128(exactly: low) ?? low }
        let negative = Int128(truncatingIfNeeded: low)
        guard high == -1, negative < 0 else { return nil }
        return Int(exactly: negative) ?? negative
    }

    /// The sum as `Double`, rounded.
    var double: Double {
        value.map { Double($0) } ?? Double(high) * 0x1p128 + Double(low)
    }
}
