// What the operators of key paths are applied to in the tests.
import KeyValueCoding
import KeyValueObserving

/// The ten values, numbers and texts, of which other suites compute sums and unions.
final class Specimen: KeyValueCodable, Hashable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let intValue: Int
    let floatValue: Double
    let text: String
    let nothing: Int? = nil
    let isFine = true

    init(_ intValue: Int, _ floatValue: Double, _ text: String) {
        self.intValue = intValue
        self.floatValue = floatValue
        self.text = text
    }

    static let all = [
        Specimen(3, 3.14159, "3.14159"), Specimen(127, 127, "127"), Specimen(-127, -127, "-127"),
        Specimen(-6, -6.626, "-6.626"), Specimen(1, 1, "true"), Specimen(42, 42, "42"), Specimen(42, 42, "42"),
        Specimen(0, 0, "a constant text"), Specimen(0, 0, "a mutable text"), Specimen(0, 0, ""),
    ]

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "intValue": \Specimen.intValue, "floatValue": \Specimen.floatValue, "text": \Specimen.text,
            "nothing": \Specimen.nothing, "isFine": \Specimen.isFine,
        ]
    }

    static func == (left: Specimen, right: Specimen) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// All operators that need something on their right.
let operatorsButCount = [
    "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays",
    "@distinctUnionOfArrays", "@distinctUnionOfSets",
]

/// Reads a key path from a value that a property holds.
func read(_ path: String, of value: Any?) throws -> Any? {
    let customer = Customer()
    customer.anything = value
    return try customer.value(forKeyPath: "anything.\(path)")
}

/// Reads a value of a known type.
func read<Value>(_ path: String, of value: Any?, as: Value.Type) throws -> Value? {
    try read(path, of: value) as? Value
}

/// Why a key path cannot be read from a collection.
func refusal(_ path: String, of value: Any) -> KeyValueCodingError.Code? {
    codingError { try read(path, of: value) }?.code
}
