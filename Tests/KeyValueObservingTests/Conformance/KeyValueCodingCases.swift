// Conformance cases of group 11: getting and setting by name.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Conformance 11: getting and setting by name")
struct KeyValueCodingCases {
    private let customer = Customer()

    @Test("#258 Values round trip, objects are the same, setters transform, an underscored key is found")
    func roundTrip() throws {
        let place = Place("Oslo")
        for (key, value) in [
            ("name", "Bob"), ("isMember", true), ("age", 4), ("weight", 1.5), ("home", place),
            ("frame", Frame(width: 1, height: 2)), ("code", 9), ("hidden", true),
        ] as [(String, any Equatable)] {
            try customer.setValue(value, forKey: key)
            let read = try #require(try customer.value(forKey: key))
            #expect(type(of: read) == type(of: value) && "\(read)" == "\(value)", "\(key)")
        }
        #expect(try customer.value(forKey: "home") as AnyObject === place)
        let transforming = Transforming()
        try transforming.setValue(8, forKey: "number")
        #expect(try transforming.value(forKey: "number") as? Int == 7)
    }

    @Test("#273 Scalars of all widths keep their type")
    func scalars() throws {
        let scalars = Scalars()
        func check<Value: Equatable>(_ key: String, _ value: Value) throws {
            try scalars.setValue(value, forKey: key)
            let read = try #require(try scalars.value(forKey: key))
            #expect(type(of: read) == Value.self && read as? Value == value)
        }
        try check("int8", Int8.min)
        try check("int16", Int16.min)
        try check("int32", Int32.min)
        try check("int64", Int64.min)
        try check("uint8", UInt8.max)
        try check("uint16", UInt16.max)
        try check("uint32", UInt32.max)
        try check("uint64", UInt64.max)
        try check("float", Float.pi)
        try check("double", Double.pi)
        try check("bool", true)
        try check("character", Character("é"))
    }

    @Test("#276 A struct is set as it is, a large one too")
    func structs() throws {
        let scalars = Scalars()
        try scalars.setValue(3..<7, forKey: "range")
        #expect(scalars.range == 3..<7)
        var large = Large()
        large.last[63] = 42
        try scalars.setValue(large, forKey: "large")
        #expect(MemoryLayout<Large>.size == 256 && scalars.large == large)
        #expect(try scalars.value(forKey: "large") as? Large == large)
        #expect(codingError { try scalars.setValue(3...7, forKey: "range") }?.code == .typeMismatch)
    }

    @Test("#281 A property that is nil is among the values, as nil")
    func nilInDictionary() throws {
        let values = try customer.dictionaryWithValues(forKeys: ["nickname", "age"])
        #expect(values.count == 2)
        #expect(values.keys.contains("nickname") && values["nickname"].flatMap { $0 } == nil)
        #expect(values["age"].flatMap { $0 } as? Int == 0)
        #expect(codingError { try customer.dictionaryWithValues(forKeys: ["age", "agee"]) }?.code == .undefinedKey)
    }

    @Test("#283 A hook on the way is called; keys may be of any script; a dictionary is led through")
    func hookOnTheWay() throws {
        let accommodating = Accommodating()
        customer.anything = accommodating
        try customer.setValue(5, forKeyPath: "anything.whatever")
        #expect(accommodating.others["whatever"] as? Int == 5)
        #expect(try customer.value(forKeyPath: "anything.whatever") as? Int == 5)
        try customer.setValue(186, forKey: "größe")
        #expect(try customer.value(forKeyPath: "größe") as? Int == 186)
        customer.info = ["straße": 1]
        try customer.setValue(2, forKeyPath: "info.straße")
        #expect(try customer.value(forKeyPath: "info.straße") as? Int == 2)
    }
}

private final class Transforming: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var stored = 0
    var number: Int {
        get { stored }
        set { stored = newValue - 1 }
    }

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \Transforming.number] }
}

private struct Large: Equatable {
    var first = SIMD64<UInt8>()
    var second = SIMD64<UInt8>()
    var third = SIMD64<UInt8>()
    var last = SIMD64<UInt8>()
}

private final class Scalars: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var int8: Int8 = 0
    @Observed var int16: Int16 = 0
    @Observed var int32: Int32 = 0
    @Observed var int64: Int64 = 0
    @Observed var uint8: UInt8 = 0
    @Observed var uint16: UInt16 = 0
    @Observed var uint32: UInt32 = 0
    @Observed var uint64: UInt64 = 0
    @Observed var float: Float = 0
    @Observed var double = 0.0
    @Observed var bool = false
    @Observed var character: Character = "a"
    @Observed var range = 0..<1
    @Observed var large = Large()

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "int8": \Scalars.int8, "int16": \Scalars.int16, "int32": \Scalars.int32, "int64": \Scalars.int64,
            "uint8": \Scalars.uint8, "uint16": \Scalars.uint16, "uint32": \Scalars.uint32, "uint64": \Scalars.uint64,
            "float": \Scalars.float, "double": \Scalars.double, "bool": \Scalars.bool,
            "character": \Scalars.character, "range": \Scalars.range, "large": \Scalars.large,
        ]
    }
}
