// Values of any type can be observed: row C14 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("C14 Values of any type")
struct ValueTypeTests {
    private let screen = Screen()

    @Test("C14 Values of any type: enums, tuples, closures, existentials, collections, nothing")
    func anyType() {
        let object = AllTypes()
        let names: [AnyKeyPath: String] = [
            \AllTypes.choice: "choice", \AllTypes.pair: "pair", \AllTypes.closure: "closure",
            \AllTypes.existential: "existential", \AllTypes.dictionary: "dictionary", \AllTypes.double: "double",
            \AllTypes.nothing: "nothing",
        ]
        let controller = KVOController(observer: screen)
        controller.observe(
            object, keyPaths: [\.choice, \.pair, \.closure, \.existential, \.dictionary, \.double, \.nothing],
            options: [.old, .new]
        ) { screen, _, change in
            let values = [change.oldValue, change.newValue].map { value in
                switch value {
                case let pair as (Int, String): "\(pair)"
                case let closure as () -> Int: "\(closure())"
                case let value: "\(value ?? "absent")"
                }
            }
            screen.log.add("\(names[change.keyPath] ?? "?") \(values[0])→\(values[1])")
        }
        object.choice = .two("x")
        object.pair = (3, "y")
        object.closure = { 4 }
        object.existential = "text"
        object.dictionary["a", default: []].append(1)
        object.double += 0.5
        object.nothing = ()
        #expect(
            screen.log.take() == [
                #"choice one→two("x")"#, #"pair (1, "x")→(3, "y")"#, "closure 1→4", "existential 1→text",
                #"dictionary [:]→["a": [1]]"#, "double 1.5→2.0", "nothing ()→()",
            ])
    }

    // #59
    @Test("#384 Structs, enumerations and nested optionals of every width arrive as what they are")
    func everyWidth() {
        let wide = Wide()
        func check<Value: Equatable>(_ keyPath: ReferenceWritableKeyPath<Wide, Value>, _ new: Value) {
            let old = wide[keyPath: keyPath]
            var told: [Value?] = []
            let token = wide.observe(keyPath, options: [.old, .new]) { told += [$1.oldValue, $1.newValue] }
            wide[keyPath: keyPath] = new
            #expect(told == [old, new])
            withExtendedLifetime(token) {}
        }
        check(\.int8, .max)
        check(\.int32, .min)
        check(\.uint64, .max)
        check(\.large, SIMD64(repeating: 7))
        check(\.frame, Frame(width: 1, height: 2))
        check(\.frame.width, 5)
        check(\.broad, .two)
        check(\.nothing, Wide.Nothing())
        check(\.nested, .some(.some(nil)))
    }

    @Test("C14 Properties without a size are distinguished")
    func withoutSize() {
        let (object, log) = (Signals(), Log())
        let tokens = [
            object.observe(\.first) { _, _ in log.add("first") },
            object.observe(\.second) { _, _ in log.add("second") },
            object.observe(\.number) { _, _ in log.add("number") },
        ]
        object.second = ()
        object.number = 1
        object.first = ()
        #expect(log.take() == ["second", "number", "first"])
        withExtendedLifetime(tokens) {}
    }

    @Test("C14 However many there are, they are distinguished from those with a size")
    func manyWithoutSize() async {
        await #expect(processExitsWith: .success) {
            let (object, log) = (Beacon(), Log())
            let lamps: [KeyPath<Beacon, Void>] = [
                \.first, \.second, \.third, \.fourth, \.fifth, \.sixth, \.seventh, \.eighth,
            ]
            let tokens = lamps.map { object.observe($0) { _, _ in log.add("lamp") } }
            (object.height, object.width, object.depth) = (1, 1, 1)
            #expect(log.take() == [] && !object.isObserved(\.height))
            withExtendedLifetime(tokens) {}
        }
    }
}

private final class AllTypes: KeyValueObservable {
    enum Choice {
        case one
        case two(String)
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var choice = Choice.one
    @Observed var pair = (1, "x")
    @Observed var closure: () -> Int = { 1 }
    @Observed var existential: any Hashable = 1
    @Observed var dictionary: [String: [Int]] = [:]
    @Observed var double = 1.5
    @Observed var nothing: Void = ()
}

private final class Wide: KeyValueObservable {
    struct Nothing: Equatable {}

    enum Broad: UInt64 {
        case one
        case two = 0xFFFF_FFFF_FFFF_FFFF
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var int8: Int8 = 0
    @Observed var int32: Int32 = 0
    @Observed var uint64: UInt64 = 0
    @Observed var large = SIMD64<UInt8>()
    @Observed var frame = Frame()
    @Observed var broad = Broad.one
    @Observed var nothing = Nothing()
    @Observed var nested: Int???
}

private final class Signals: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first: Void = ()
    @Observed var second: Void = ()
    @Observed var number = 0
}

private final class Beacon: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first: Void = ()
    @Observed var second: Void = ()
    @Observed var third: Void = ()
    @Observed var fourth: Void = ()
    @Observed var fifth: Void = ()
    @Observed var sixth: Void = ()
    @Observed var seventh: Void = ()
    @Observed var eighth: Void = ()
    @Observed var height = 0
    @Observed var width = 0
    @Observed var depth = 0
}
