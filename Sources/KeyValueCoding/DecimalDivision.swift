// Dividing in types that only promise to add, multiply and compare.
import KeyValueObserving

/// Long division, for averages in types such as `Decimal`.
///
/// `Numeric` has no division. With ten, and a tenth that times ten is one, the digits of a quotient are found by
/// subtracting, as on paper, and none goes through Double.
struct DecimalDivision<Number: Numeric & Comparable> {
    /// Nil in types without fractions.
    private let tenth: Number?

    init(_: Number.Type) {
        func literal<Value: ExpressibleByFloatLiteral>(_: Value.Type) -> Any {
            let tenth: Value = 0.1
            return tenth
        }
        let fraction = (Number.self as? any ExpressibleByFloatLiteral.Type).flatMap { literal($0) as? Number }
        tenth = fraction.flatMap { $0 * 10 == 1 ? $0 : nil }
    }

    /// A number divided by a count.
    ///
    /// Exact if the type holds the quotient, otherwise rounded to the digits that it holds, but to 64 digits and to 100
    /// places after the point at most. What is not finite stays what it is.
    ///
    /// - Returns: The quotient, or nil if it is a fraction and the type has none, or too large for its powers of ten.
    func quotient(of number: Number, by count: Int) -> Number? {
        guard count != 1, number - number == 0 else { return number }
        guard let divisor = Number(exactly: count) else { return nil }
        guard number < 0 else { return quotient(number, divisor) }
        return quotient(0 - number, divisor).map { 0 - $0 }
    }

    private func quotient(_ number: Number, _ divisor: Number) -> Number? {
        guard var places = wholePlaces(number, divisor) else { return nil }
        var (quotient, remainder, place) = (0 as Number, number, 1 as Number)
        var (digits, fractionDigits) = (0, 0)
        while remainder != 0, digits < Self.digitLimit {
            var next = place
            if let whole = places.popLast() {
                next = whole
            } else {
                guard let tenth else { return nil }
                guard fractionDigits < Self.fractionLimit else { break }
                fractionDigits += 1
                next = place * tenth
            }
            guard quotient + next - quotient == next else { break }
            place = next
            while remainder >= divisor * place {
                remainder -= divisor * place
                quotient += place
            }
            if quotient != 0 { digits += 1 }
        }
        return remainder + remainder >= divisor * place ? quotient + place : quotient
    }

    /// For types whose digits do not end.
    private static var digitLimit: Int { 64 }
    /// `Decimal` traps where its exponent ends, and no protocol says where that is.
    private static var fractionLimit: Int { 100 }

    /// The powers of ten from 1 up to that of the quotient's first digit, found without a product above `number`.
    private func wholePlaces(_ number: Number, _ divisor: Number) -> [Number]? {
        var places: [Number] = [1]
        var place: Number = 1
        while hasDigit(number, above: divisor * place) {
            let next = place * 10
            // Beyond the largest power of ten, `Decimal` goes on with NaN.
            guard next > place else { return nil }
            place = next
            places.append(place)
        }
        return places
    }

    /// Whether a number is ten times another one, or more.
    private func hasDigit(_ number: Number, above unit: Number) -> Bool {
        var rest = number
        for _ in 0..<9 {
            guard rest >= unit else { return false }
            rest -= unit
        }
        return rest >= unit
    }
}
