// Views of arrays by name: section 8 of the contract with section 7, row D9 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Views of arrays by name")
struct ArrayByKeyTests {
    private let customer = Customer()
    private let watcher = Watcher()

    @Test("8.2 2.6 7.4 D9 Each change is one notification, with its elements")
    func changes() throws {
        let log = watcher.log
        watcher.watchElements(customer, \.tags)
        let tags = try customer.mutableArrayValue(forKey: "tags")
        tags.append("a")
        tags.append(contentsOf: ["b", "c"])
        tags[1] = "x"
        tags.insert(contentsOf: ["p", "q"], at: RangeSet(0, 2))
        tags.removeSubranges(RangeSet(0, 2))
        tags.replaceSubrange(1..<3, with: ["y"])
        tags.moveSubranges(RangeSet(1), to: 0)
        tags.sort { "\($0)" < "\($1)" }
        tags.removeAll()
        #expect(
            log.take() == [
                #"insertion [0] ·→["a"]"#, #"insertion [1, 2] ·→["b", "c"]"#, #"replacement [1] ["b"]→["x"]"#,
                #"insertion [0, 2] ·→["p", "q"]"#, #"removal [0, 2] ["p", "q"]→·"#,
                #"replacement [1] ["x"]→["y"]"#, #"removal [2] ["c"]→·"#, #"removal [1] ["y"]→·"#,
                #"insertion [0] ·→["y"]"#,
                #"replacement [0, 1] ["y", "a"]→["a", "y"]"#, #"removal [0, 1] ["a", "y"]→·"#,
            ])
        tags.value = ["z"]
        tags.value.append("z")
        #expect(log.take() == [#"setting []→["z"]"#, #"setting ["z"]→["z", "z"]"#])
        // It reads the current value, and keeps what an access changed before it threw.
        func change(_ texts: inout [Any]) throws {
            texts.append("b")
            throw CancellationError()
        }
        #expect(throws: CancellationError.self) { try change(&tags.value) }
        #expect(log.take() == [#"setting ["z", "z"]→["z", "z", "b"]"#] && tags.map { "\($0)" } == ["z", "z", "b"])
        #expect(tags.count == 3 && tags.last as? String == "b")
    }

    @Test("8.4 What is put in is converted as a set by name converts")
    func converts() throws {
        let shelf = NumberShelf()
        let doubles = try shelf.mutableArrayValue(forKey: "doubles")
        doubles.append(3)
        doubles.append(UInt8(4))
        #expect(shelf.doubles == [3, 4])
        let optionals = try shelf.mutableArrayValue(forKey: "optionals")
        optionals.append(Int?.none as Any)
        optionals.append(5.0)
        #expect(shelf.optionals == [nil, 5])
        try shelf.mutableArrayValue(forKey: "anything").append("x")
        #expect(shelf.anything.count == 1)
    }

    // #210
    @Test("8.7 Keys that lead to no array that can be changed throw")
    func errors() {
        let rows = [
            "tag": "undefinedKey tag of Customer (tags, age)", "": "emptyKeyPath  of Customer",
            "sortedTags": "notWritable sortedTags of Customer", "age": "notACollection age of Customer",
        ]
        for (key, error) in rows { #expect(outcome { try customer.mutableArrayValue(forKey: key) } == error) }
        // Such a key is set by hooks, as a whole.
        #expect(codingError { try Accommodating().mutableArrayValue(forKey: "things") }?.code == .undefinedKey)
    }

    @Test("8.7 8.4 A value that is not of the elements' type traps with the value, before any delivery")
    func trap() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let shelf = NumberShelf()
            shelf.observe(\.bytes, options: .prior) { _, _ in print("told") }.store(in: .process)
            try shelf.mutableArrayValue(forKey: "bytes").append(contentsOf: [1, 256])
        }
        #expect(
            message(of: result).contains(
                """
                NumberShelf has an array with elements of type UInt8 at "bytes", and 256 of type Int was to be put into \
                it, which UInt8 does not hold exactly.
                """))
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("told"))
    }
}

private final class NumberShelf: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var doubles: [Double] = []
    @Observed var optionals: [Int?] = []
    @Observed var anything: [Any] = []
    @Observed var bytes: [UInt8] = []

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "doubles": \NumberShelf.doubles, "optionals": \NumberShelf.optionals, "anything": \NumberShelf.anything,
            "bytes": \NumberShelf.bytes,
        ]
    }
}
