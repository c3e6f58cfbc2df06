// What key-value coding says and finds, in the cases that come up seldom: 8.4, 8.6, 8.7.
import Foundation
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("8 What key-value coding says and finds")
struct CodingDetailTests {
    @Test(
        "8.7 An error without a reason says what went wrong, and what to do",
        arguments: [
            (
                KeyValueCodingError.Code.typeMismatch,
                "The value for \"age\" of Customer has another type than is needed."
            ),
            (
                .undefinedKey,
                "Customer has no key \"age\". Only what keyPathsByKey of a class lists is found."
            ),
            (
                .notWritable,
                "\"age\" of Customer can only be read. List a writable key path in keyPathsByKey, or set what it is computed from."
            ),
            (
                .notObservable,
                "Customer cannot be observed at \"age\": reading it touches no @Observed property, so no change of it can be seen. Make a stored property behind it @Observed."
            ),
        ])
    func sentences(code: KeyValueCodingError.Code, sentence: String) {
        #expect(KeyValueCodingError(code: code, key: "age", objectType: Customer.self).description == sentence)
    }

    @Test("8.7 Errors about other types, and with other near keys, are not equal")
    func equality() {
        func error(of type: Any.Type, near: [String] = []) -> KeyValueCodingError {
            KeyValueCodingError(code: .undefinedKey, key: "age", objectType: type, nearKeys: near)
        }
        #expect(error(of: Customer.self) != error(of: Place.self))
        #expect(error(of: Customer.self, near: ["ago"]) != error(of: Customer.self))
        #expect(error(of: Customer.self, near: ["ago"]) == error(of: Customer.self, near: ["ago"]))
    }

    @Test(
        "8.7 A near key is a slip or two away, and something of it is left",
        arguments: [
            // As many characters are missing as may be.
            ("be", ["bend"]),
            // Nothing is left of a key whose characters are all replaced.
            ("q", []), ("xy", []),
            // Neighbours that are swapped are one slip, and come before two.
            ("naem", ["name", "naemaa"]),
            // Only neighbours that are swapped are one slip.
            ("rst", ["zst", "stu"]),
        ])
    func nearKeys(key: String, near: [String]) {
        #expect(codingError { try Dictionary().value(forKey: key) }?.nearKeys == near)
    }

    @Test("8.6 A sum that no integer holds is rounded, at the end of what they hold")
    func sumBelowAll() throws {
        #expect(try read("@avg.self", of: [Int128.min, Int128.min], as: Double.self) == -0x1p127)
    }

    @Test("8.6 Of equal numbers the one met first is the least and the greatest")
    func firstOfEqual() throws {
        for name in ["@min.self", "@max.self"] {
            #expect(try read(name, of: [0.0, -0.0], as: Double.self)?.sign == .plus)
            #expect(try read(name, of: [-0.0, 0.0], as: Double.self)?.sign == .minus)
            #expect(try read(name, of: [3.0, 3] as [Any]) is Double)
            #expect(try read(name, of: [3, 3.0] as [Any]) is Int)
        }
    }

    @Test("8.6 A Decimal and a floating-point number have no order, whichever comes first")
    func decimalAndDouble() {
        #expect(codingError { try read("@min.self", of: [Decimal(1), 2.0] as [Any]) }?.code == .typeMismatch)
        #expect(codingError { try read("@min.self", of: [2.0, Decimal(1)] as [Any]) }?.code == .typeMismatch)
    }

    @Test("8.6 The last digit of an average is rounded")
    func roundedAverage() throws {
        let average = try read("@avg.self", of: [Decimal(2), 0, 0], as: Decimal.self)
        #expect(average?.description.hasSuffix("67") == true)
        let third = try read("@avg.self", of: [Decimal(1), 0, 0], as: Decimal.self)
        #expect(third?.description.hasSuffix("33") == true)
    }

    @Test("8.4 A floating-point number goes to the widest integers")
    func widestIntegers() {
        #expect(ExactNumber.convert(0x1p127, to: UInt128.self) == UInt128(1) << 127)
        #expect(ExactNumber.convert(-0x1p127, to: Int128.self) == Int128.min)
    }

    #if arch(x86_64) && !os(Windows) && !os(Android)
    @Test("8.4 A number wider than a Double does not go through one")
    func wideNumbers() {
        #expect(ExactNumber.convert(Float80(Int.max), to: Int.self) == Int.max)
        #expect(ExactNumber.convert(Int.max, to: Float80.self) == Float80(Int.max))
        #expect(ExactNumber.convert(Float80(0.5), to: Double.self) == 0.5)
        #expect(ExactNumber.convert(Float80(1) / 3, to: Double.self) == nil)
        #expect(ExactNumber.convert(0.5, to: Float80.self) == 0.5)
    }
    #endif
}

/// Has keys that resemble each other.
private final class Dictionary: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var word = ""

    static var keyPathsByKey: [String: AnyKeyPath] {
        Swift.Dictionary(
            uniqueKeysWithValues: ["a", "uv", "bend", "name", "naemaa", "stu", "zst"].map { ($0, \Dictionary.word) })
    }
}
