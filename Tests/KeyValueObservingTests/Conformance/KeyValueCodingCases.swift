// Conformance cases of groups 11 to 13: search, undefined keys, nil, validation.
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

    @Test("#277 A property of any type takes a number, then a string, as they are")
    func anything() throws {
        try customer.setValue(1, forKey: "anything")
        #expect(customer.anything as? Int == 1)
        try customer.setValue("one", forKey: "anything")
        #expect(customer.anything as? String == "one")
    }

    @Test("#278 A key path leads through dictionaries to an array")
    func dictionaryPath() throws {
        customer.info = ["key": ["subkey": ["subkey2": ["element"]]]]
        #expect(try customer.value(forKeyPath: "info.key.subkey.subkey2") as? [String] == ["element"])
    }

    @Test("#280 Nil among several values sets nil")
    func nilAmongValues() throws {
        customer.nickname = "n"
        try customer.setValuesForKeys(["nickname": nil, "name": "x"])
        #expect(customer.nickname == nil && customer.name == "x")
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

@Suite("Conformance 12: undefined keys and nil")
struct UndefinedKeyCases {
    private let customer = Customer()

    @Test("#284 What a class answers for unknown keys is used, for getting and for setting")
    func hooks() throws {
        let object = Accommodating()
        try object.setValue("value", forKey: "Lxcke")
        #expect(try object.value(forKey: "Lxcke") as? String == "value")
    }

    @Test("#285 Setting an unknown key is an error, also at the end of a path")
    func unknown() {
        customer.home = Place()
        #expect(codingError { try customer.setValue(1, forKey: "zzz") }?.summary == "undefinedKey zzz of Customer")
        #expect(
            codingError { try customer.setValue(1, forKeyPath: "home.zzz") }?.summary == "undefinedKey zzz of Place")
    }

    @Test("#290 Nil is set to optionals, and is an error for what cannot be nil; the hook itself always throws")
    func nilValues() throws {
        customer.home = Place()
        customer.points = 1
        customer.anything = 1
        for key in ["home", "points", "anything"] { try customer.setValue(nil, forKey: key) }
        #expect(customer.home == nil && customer.points == nil && customer.anything == nil)
        for key in ["age", "office", "code"] {
            #expect(codingError { try customer.setValue(nil, forKey: key) }?.code == .nilForNonOptional)
        }
        for key in ["home", "age"] {
            #expect(codingError { try customer.setNilValue(forKey: key) }?.code == .nilForNonOptional)
        }
    }

    @Test("#291 Nil in a dictionary removes the key, and one that is absent stays so")
    func nilInDictionary() throws {
        try customer.setValue(nil, forKeyPath: "info.absent")
        #expect(customer.info.isEmpty)
        customer.info = ["array": [1], "string": "s"]
        try customer.setValue(nil, forKeyPath: "info.array")
        try customer.setValue(nil, forKeyPath: "info.string")
        #expect(customer.info.isEmpty)
        #expect(try customer.value(forKeyPath: "info.string") == nil)
    }
}

@Suite("Conformance 13: validation")
struct ValidationCases {
    @Test("#293 A value may be replaced by its class, and what is no value at all is refused")
    func replaced() throws {
        let object = Accommodating()
        var value: Any? = -3
        try object.validateValue(&value, forKey: "count")
        #expect(value as? Int == 0)
        value = nil
        #expect(codingError { try object.validateValue(&value, forKey: "count") }?.code == .invalidValue)
    }

    @Test("#295 Through a key path the object that has the last key validates")
    func keyPath() throws {
        let customer = Customer()
        customer.anything = Accommodating()
        customer.info = ["a": 1]
        var value: Any? = -3
        try customer.validateValue(&value, forKeyPath: "anything.count")
        #expect(value as? Int == 0)
        value = "text"
        #expect(
            codingError { try customer.validateValue(&value, forKeyPath: "anything.count") }?.summary
                == "invalidValue count of Accommodating")
        try customer.validateValue(&value, forKeyPath: "info.a")
        try customer.validateValue(&value, forKeyPath: "home.city")
        try customer.validateValue(&value, forKeyPath: "age")
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "name.x") }?.code == .undefinedKey)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "tags.@count") }?.code == .invalidOperator)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "office.") }?.code == .emptyKeyPath)
        #expect(codingError { try customer.validateValue(&value, forKeyPath: "") }?.code == .emptyKeyPath)
        #expect(value as? String == "text")
    }

    @Test("#297 Without validation everything is valid, and setting never validates")
    func neverAutomatic() throws {
        var value: Any? = -3
        try Customer().validateValue(&value, forKey: "age")
        #expect(value as? Int == -3)
        let object = Accommodating()
        try object.setValue(-3, forKey: "count")
        #expect(object.count == -3)
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
