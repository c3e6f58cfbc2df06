// Views by name of arrays that a class keeps behind hooks which may throw: semantics 8.7. The handler of errors is one
// for the whole process, so each test has a process of its own.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("8.7 Views of arrays behind hooks that throw")
struct ThrowingHookTests {
    @Test("8.7 When a reading throws, wherever in a call, the error is reported once as it is and nothing is changed")
    func reading() async {
        await #expect(processExitsWith: .success) {
            for (name, call) in ArrayCall.all {
                // Throws at each reading that the call makes, one after the other, until it makes no more.
                for reading in 1..<20 {
                    let (cellar, view, reports) = try Cellar.make()
                    cellar.failingReading = reading
                    call(view)
                    guard cellar.hasFailed else {
                        cellar.failingReading = nil
                        #expect(reading > 1 && cellar.bottles != Cellar.bottles, "\(name)")
                        break
                    }
                    #expect(cellar.bottles == Cellar.bottles, "\(name) at reading \(reading)")
                    #expect(cellar.writings == 0, "\(name) at reading \(reading)")
                    #expect(reports.take() == [Cellar.error.description], "\(name) at reading \(reading)")
                }
            }
        }
    }

    @Test("8.7 When a writing throws, the error is reported once as it is, and nothing is lost")
    func writing() async {
        await #expect(processExitsWith: .success) {
            for (name, call) in ArrayCall.all {
                let (cellar, view, reports) = try Cellar.make()
                cellar.failsToWrite = true
                call(view)
                #expect(cellar.bottles == Cellar.bottles, "\(name)")
                #expect(cellar.writings == 1, "\(name)")
                #expect(reports.take() == [Cellar.error.description], "\(name)")

                cellar.failsToWrite = false
                view.append("z")
                #expect(cellar.bottles == Cellar.bottles + ["z"] && reports.take() == [], "\(name)")
            }
        }
    }

    @Test("8.7 Each call does to an array behind hooks what it does to an array, in one writing")
    func sameAsArray() async {
        await #expect(processExitsWith: .success) {
            for (name, call) in ArrayCall.all {
                let (cellar, view, reports) = try Cellar.make()
                let plain = Cellar()
                call(view)
                call(try plain.mutableArrayValue(forKey: "plain"))
                #expect(cellar.bottles == plain.plain.map { "\($0)" }, "\(name)")
                #expect(cellar.writings == 1 && reports.take() == [], "\(name)")
            }
        }
    }

    @Test("8.7 A view whose array cannot be read shows what it knew last, and reports each time")
    func lastKnown() async {
        await #expect(processExitsWith: .success) {
            let (cellar, view, reports) = try Cellar.make()
            cellar.bottles.append("e")
            #expect(view.count == 5)
            cellar.failingReading = 1
            #expect(view.count == 5)
            cellar.failingReading = 1
            #expect(view.map { "\($0)" } == ["c", "a", "d", "b", "e"])
            #expect(reports.take() == [Cellar.error.description, Cellar.error.description])
            #expect(view.count == 5 && reports.take() == [])
        }
    }

    @Test(
        "8.7 A change in place that throws midway keeps what it did, as with any property, and the next call is as any other"
    )
    func throwingInPlace() throws {
        func empty(_ array: inout [Any]) throws {
            array = []
            throw Flood()
        }
        let cellar = Cellar()
        let view = try cellar.mutableArrayValue(forKey: "wine")
        #expect(throws: Flood.self) { try empty(&view.value) }
        #expect(cellar.bottles == [] && cellar.writings == 1)
        view.append("x")
        #expect(cellar.bottles == ["x"] && cellar.writings == 2)
    }

    @Test("8.7 A hook that gives no array any more is reported, and what it gives is not overwritten")
    func noArray() async {
        await #expect(processExitsWith: .success) {
            let (object, reports) = (Accommodating(), Questions())
            KeyValueDiagnostics.handler = { reports.add($0.summary) }
            object.others["list"] = [1, 2]
            let view = try object.mutableArrayValue(forKey: "list")
            object.others["list"] = "text"
            view.append(3)
            view.value.append(3)
            #expect(object.others["list"] as? String == "text")
            object.others["list"] = nil
            #expect(view.popLast() == nil)
            #expect(view.removeLast() as? Int == nil)
            #expect(object.others.isEmpty)
            #expect(reports.take() == Array(repeating: "notACollection list of Accommodating", count: 4))
        }
    }

    @Test("8.7 What a hook throws that is no error of key-value coding is the reason of one")
    func foreignError() async {
        await #expect(processExitsWith: .success) {
            let (cellar, view, reports) = try Cellar.make()
            cellar.error = Flood()
            cellar.failingReading = 1
            view.append("x")
            #expect(
                reports.take() == [
                    #"Cellar gave no value for "wine": Flood()."#
                ])
            cellar.failsToWrite = true
            view.append("x")
            #expect(reports.take() == [#"Cellar does not accept the value for "wine": Flood()."#])
        }
    }

    @Test("8.7 3.4 A change that another observer makes is not overwritten by one inside a handler")
    func insideHandlers() throws {
        let cellar = Cellar()
        let view = try cellar.mutableArrayValue(forKey: "wine")
        var waiting = ["x", "y"]
        let tokens = (0..<2).map { _ in
            cellar.observe(\.bottles) { _, _ in
                if let name = waiting.popLast() { view.append(name) }
            }
        }
        cellar.bottles = ["a"]
        #expect(cellar.bottles.sorted() == ["a", "x", "y"])
        withExtendedLifetime(tokens) {}
    }
}

private struct Flood: Error {}

/// Calls of a view, each of which changes `Cellar.bottles`.
private enum ArrayCall {
    typealias View = ObservedMutableArray<Any>

    static var all: KeyValuePairs<String, (View) -> Void> {
        [
            "append": { $0.append("x") },
            "append of several": { $0.append(contentsOf: ["x", "y"]) },
            "insert": { $0.insert("x", at: 1) },
            "insert several": { $0.insert(contentsOf: ["x", "y"], at: 1) },
            "insert at positions": { $0.insert(contentsOf: ["x", "y"], at: RangeSet(0, 2)) },
            "remove": { $0.remove(at: 3) },
            "remove at positions": { $0.removeSubranges(RangeSet(0, 3)) },
            "removeFirst": { $0.removeFirst() },
            "removeLast": { $0.removeLast() },
            "removeFirst of several": { $0.removeFirst(2) },
            "removeLast of several": { $0.removeLast(2) },
            "popLast": { _ = $0.popLast() },
            "removeSubrange": { $0.removeSubrange(2...) },
            "removeAll": { $0.removeAll() },
            "removeAll where": { $0.removeAll { "\($0)" < "c" } },
            "replaceSubrange by more": { $0.replaceSubrange(1..<3, with: ["x", "y", "z"]) },
            "replaceSubrange by fewer": { $0.replaceSubrange(1..<4, with: ["x"]) },
            "replace": { $0.replaceSubranges(RangeSet(1, 3), with: ["x", "y"]) },
            "move": { $0.moveSubranges(RangeSet(0), to: 4) },
            "subscript": { $0[3] = "x" },
            "range": { $0[1..<2] = $0[0..<1] },
            "swapAt": { $0.swapAt(0, 3) },
            "sort": { $0.sort { "\($0)" < "\($1)" } },
            "reverse": { $0.reverse() },
            "partition": { _ = $0.partition { "\($0)" > "b" } },
            "value": { $0.value.append("x") },
        ]
    }
}

/// Keeps bottles behind hooks that fail when a test asks for it.
private final class Cellar: KeyValueCodable {
    static let bottles = ["c", "a", "d", "b"]
    static let error = KeyValueCodingError(
        code: .invalidValue, key: "wine", objectType: Cellar.self, reason: "the cellar is locked")

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var bottles = Cellar.bottles
    @Observed var plain: [Any] = Cellar.bottles
    /// Which reading from now on throws, once.
    var failingReading: Int?
    var failsToWrite = false
    var error: any Error = Cellar.error
    private(set) var writings = 0

    var hasFailed: Bool { failingReading == nil }

    static var keyPathsByKey: [String: AnyKeyPath] { ["plain": \Cellar.plain] }

    /// A cellar, its view, and what is reported.
    static func make() throws -> (Cellar, ObservedMutableArray<Any>, Questions) {
        let (cellar, reports) = (Cellar(), Questions())
        KeyValueDiagnostics.handler = { reports.add($0.description) }
        return (cellar, try cellar.mutableArrayValue(forKey: "wine"), reports)
    }

    func value(forUndefinedKey key: String) throws -> Any? {
        if let reading = failingReading {
            failingReading = reading > 1 ? reading - 1 : nil
            if reading == 1 { throw error }
        }
        return bottles
    }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws {
        writings += 1
        if failsToWrite { throw error }
        bottles = (value as? [Any] ?? []).map { "\($0)" }
    }
}
