// Conformance cases of group 26: what users of Foundation's Swift overlay and of other wrappers rely on.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 26: the overlay and wrappers")
struct WrapperCases {
    private let sample = Sample()
    private let log = Log()
    private let watcher = Watcher()

    @Test("#373 A change has its kind, typed values, indexes and whether it is prior")
    func changeFields() {
        let change = KeyValueObservedChange<String?>(
            kind: .replacement, newValue: .some(nil), oldValue: "a", indexes: RangeSet(1..<3), isPrior: true,
            keyPath: \Sample.text)
        #expect(change.kind == .replacement)
        #expect(change.newValue == .some(nil))
        #expect(change.oldValue == .some("a"))
        #expect(change.indexes == RangeSet(1..<3))
        #expect(change.isPrior)
        #expect(change.keyPath == \Sample.text)

        let plain = KeyValueObservedChange<Int>(kind: .setting, keyPath: \Person.age)
        #expect(plain.newValue == nil && plain.oldValue == nil && plain.indexes == nil && !plain.isPrior)
    }

    @Test("#374 Without options a change is a setting without values")
    func defaultOptions() {
        var changes: [KeyValueObservedChange<UInt32>] = []
        let token = sample.observe(\.number) { changes.append($1) }
        sample.number = 1
        #expect(changes.map(\.kind) == [.setting])
        #expect(changes.allSatisfy { $0.newValue == nil && $0.oldValue == nil && $0.indexes == nil && !$0.isPrior })
        withExtendedLifetime(token) {}
    }

    @Test("#380 What is done while changes are ignored is not delivered, elsewhere nothing is missed")
    func ignoringForAWhile() {
        // There is no scope for it: the registration ends, and is made again.
        let observer = Person()
        let controller = KVOController(observer: observer)
        func observe() { controller.observe(sample, \.number, options: .new) { _, _, change in log.add(change) } }
        let other = sample.observe(\.text, options: .new) { log.add($1, as: "text") }
        observe()
        sample.number = 1
        controller.unobserve(sample, \.number)
        sample.number = 2
        sample.text = "a"
        observe()
        sample.number = 3
        #expect(log.take() == ["·→1", "text ·→a", "·→3"])
        withExtendedLifetime(other) {}
    }

    @Test("#376 A handler runs after the change, and may write the storage without notifying anybody (4.3)")
    func writesStorage() {
        final class Tally: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var count = 0
            func setSilently(_ value: Int) { _count = Observed(wrappedValue: value) }
        }
        let tally = Tally()
        let token = tally.observe(\.count) { [log] tally, _ in
            log.add("\(tally.count)")
            tally.setSilently(0)
        }
        tally.count += 1
        #expect(tally.count == 0)
        tally.count = 5
        #expect(tally.count == 0)
        #expect(log.take() == ["1", "5"])
        token.invalidate()
        tally.count += 1
        #expect(tally.count == 1)
        #expect(log.take() == [])
    }

    @Test("#377 A token and a controller on two properties do not disturb each other")
    func independentKeyPaths() {
        let screen = Spectator(log: log)
        let token = sample.observe(\.left) { [log] in log.add($1, as: "token") }
        screen.kvo.observe(sample, \.number) { $0.log.add($2, as: "controller") }
        sample.left = 1
        #expect(log.take() == ["token ·→·"])
        sample.number = 1
        #expect(log.take() == ["controller ·→·"])
        token.invalidate()
        sample.left = 2
        sample.number = 2
        #expect(log.take() == ["controller ·→·"])
        withExtendedLifetime(screen) {}
    }

    @Test("#378 Of ten objects of which three are observed, the one that changes notifies")
    func elements() {
        let samples = (0..<10).map { Sample("\($0)") }
        var told: [Sample] = []
        let tokens = samples[2...4].map { $0.observe(\.number) { sample, _ in told.append(sample) } }
        samples[0].number = 1
        #expect(told.isEmpty)
        samples[3].number = 1
        #expect(told.count == 1 && told.first === samples[3])
        withExtendedLifetime(tokens) {}
    }

    @Test("#381 A handler is called once per set, and at once with initial, until its token or the object goes")
    func blocks() {
        var mortal: Sample? = Sample()
        let text = mortal?.observe(\.text) { [log] in log.add("\($1.kind) text") }
        let number = mortal?.observe(\.number, options: .initial) { [log] in log.add("\($1.kind) number") }
        #expect(log.take() == ["setting number"])
        mortal?.text = "a"
        mortal?.number = 1
        #expect(log.take() == ["setting text", "setting number"])
        text?.invalidate()
        mortal?.text = "b"
        #expect(log.take() == [])
        mortal = nil
        #expect(text?.isInvalidated == true && number?.isInvalidated == true)
    }

    @Test("#382 Observing does not retain the target, of a strong and of a weak property")
    func targetIsNotRetained() {
        var target: Sample? = Sample("target")
        weak let gone = target
        let box = Box()
        box.target = target
        let direct = target?.observe(\.text, options: .new) { [log] in log.add($1, as: "direct") }
        watcher.watch(box, \.target?.text, as: "weak", .new)
        target?.text = "a"
        #expect(log.take() == ["direct ·→a"])
        #expect(watcher.take() == ["weak ·→a"])
        target = nil
        #expect(gone == nil)
        #expect(direct?.isInvalidated == true)
        #expect(log.take() == [] && watcher.take() == [])
    }

    @Test("#384 Structs and enumerations of every width arrive as what they are")
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
        check(\.int16, .min)
        check(\.int32, .max)
        check(\.int64, .min)
        check(\.uint8, .max)
        check(\.uint16, .max)
        check(\.uint64, .max)
        check(\.narrow, .two)
        check(\.unsigned, .two)
        check(\.broad, .two)
        check(\.size, Size(width: 1, height: 2))
        check(\.rectangle, Rectangle(x: 1, y: 2, size: Size(width: 3, height: 4)))
        check(\.rectangle.size.height, 5)
        check(\.nothing, Nothing())
        check(\.optionalSize, Size(width: 1, height: 2))
        check(\.nested, .some(.some(nil)))
    }

    @Test("#385 The initial value and the changes make one sequence")
    func sequence() {
        let person = Person()
        var values: [Int?] = []
        let token = person.observe(\.age, options: [.initial, .new]) { values.append($1.newValue) }
        person.age = 1
        person.age = 2
        #expect(values == [0, 1, 2])
        withExtendedLifetime(token) {}
    }
}

private final class Box: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var box = WeakBox<Sample>()

    var target: Sample? {
        get { box.object }
        set { box.object = newValue }
    }
}

private struct Size: Equatable {
    var width = 0.0
    var height = 0.0
}

private struct Rectangle: Equatable {
    var x = 0.0
    var y = 0.0
    var size = Size()
}

/// A value without a size.
private struct Nothing: Equatable {}

private enum Narrow: Int8 {
    case one, two
}

private enum Unsigned: UInt16 {
    case one, two
}

private enum Broad: UInt64 {
    case one
    case two = 0xFFFF_FFFF_FFFF_FFFF
}

private final class Wide: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var int8: Int8 = 0
    @Observed var int16: Int16 = 0
    @Observed var int32: Int32 = 0
    @Observed var int64: Int64 = 0
    @Observed var uint8: UInt8 = 0
    @Observed var uint16: UInt16 = 0
    @Observed var uint64: UInt64 = 0
    @Observed var narrow = Narrow.one
    @Observed var unsigned = Unsigned.one
    @Observed var broad = Broad.one
    @Observed var size = Size()
    @Observed var rectangle = Rectangle()
    @Observed var nothing = Nothing()
    @Observed var optionalSize: Size?
    @Observed var nested: Int???
}
