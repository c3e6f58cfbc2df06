// Values of any type can be observed: row C14 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("C14 Values of any type")
struct ValueTypeTests {
    private let object = AllTypes()
    private let log = Log()

    @Test(
        "C14 Values of any type: enums, tuples, closures, existentials, collections, nothing",
        .enabled(if: hasReflectionMetadata))
    func anyType() {
        let controller = KVOController(observer: log)
        controller.observe(
            object, keyPaths: [\.choice, \.pair, \.closure, \.existential, \.dictionary, \.double, \.nothing]
        ) { log, _, change in
            let values = [change.oldValue, change.newValue].map { value in
                switch value {
                case let pair as (Int, String): "\(pair)"
                case let closure as () -> Int: "\(closure())"
                case let value: "\(value ?? "absent")"
                }
            }
            log.add("\(change.name) \(values[0])→\(values[1])")
        }
        object.choice = .two("x")
        object.pair = (3, "y")
        object.closure = { 4 }
        object.existential = "text"
        object.dictionary["a", default: []].append(1)
        object.double += 0.5
        object.nothing = ()
        #expect(
            log.take() == [
                #"choice one→two("x")"#, #"pair (1, "x")→(3, "y")"#, "closure 1→4", "existential 1→text",
                #"dictionary [:]→["a": [1]]"#, "double 1.5→2.0", "nothing ()→()",
            ])
    }

    // #59
    @Test("#384 Structs, enumerations and nested optionals of every width arrive as what they are")
    func everyWidth() {
        func check<Value: Equatable>(_ keyPath: ReferenceWritableKeyPath<AllTypes, Value>, _ new: Value) {
            let old = object[keyPath: keyPath]
            var told: [Value?] = []
            let token = object.observe(keyPath) { told += [$1.oldValue, $1.newValue] }
            object[keyPath: keyPath] = new
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
        check(\.empty, AllTypes.Empty())
        check(\.nested, .some(.some(nil)))
    }

    @Test("C14 Any number of properties without a size are distinguished from each other, and from those with a size")
    func withoutSize() async {
        await #expect(processExitsWith: .success) {
            let (beacon, log) = (Beacon(), Log())
            let lamps: [ReferenceWritableKeyPath<Beacon, Void>] = [
                \.first, \.second, \.third, \.fourth, \.fifth, \.sixth, \.seventh, \.eighth,
            ]
            let tokens = lamps.indices.map { index in beacon.observe(lamps[index]) { _, _ in log.add("\(index)") } }
            (beacon.height, beacon.width) = (1, 1)
            #expect(log.take() == [] && !beacon.isObserved(\.height))
            for index in [1, 7, 0] { beacon[keyPath: lamps[index]] = () }
            #expect(log.take() == ["1", "7", "0"])
            withExtendedLifetime(tokens) {}
        }
    }
}

private final class AllTypes: KeyValueObservable {
    struct Empty: Equatable {}

    enum Choice {
        case one
        case two(String)
    }

    enum Broad: UInt64 {
        case one
        case two = 0xFFFF_FFFF_FFFF_FFFF
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var choice = Choice.one
    @Observed var pair = (1, "x")
    @Observed var closure: () -> Int = { 1 }
    @Observed var existential: any Hashable = 1
    @Observed var dictionary: [String: [Int]] = [:]
    @Observed var double = 1.5
    @Observed var nothing: Void = ()
    @Observed var int8: Int8 = 0
    @Observed var int32: Int32 = 0
    @Observed var uint64: UInt64 = 0
    @Observed var large = SIMD64<UInt8>()
    @Observed var frame = Frame()
    @Observed var broad = Broad.one
    @Observed var empty = Empty()
    @Observed var nested: Int???
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
}
