// Views of arrays by name: section 8 of the contract with section 7, row D9 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("8 Views of arrays by name")
struct ArrayByKeyTests {
    private let customer = Customer()
    private let log = Log()

    private func observeTags() -> KeyValueObservation {
        customer.observe(\.tags, options: [.old, .new]) { [log] in log.addToMany($1) }
    }

    @Test("8.2 D9 Each change is one notification, with its elements")
    func changes() throws {
        let token = observeTags()
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
        #expect(customer.tags == ["z", "z"])
        #expect(log.take() == [#"setting []→["z"]"#, #"setting ["z"]→["z", "z"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("7.4 It reads the current value as a collection")
    func reads() throws {
        customer.tags = ["a", "b", "c"]
        let tags = try customer.mutableArrayValue(forKey: "tags")
        #expect(tags.count == 3 && tags[1] as? String == "b" && tags.map { "\($0)" } == ["a", "b", "c"])
        #expect(tags.indices == 0..<3 && tags.index(after: 0) == 1 && tags.index(before: 3) == 2)
        #expect(tags.distance(from: 0, to: 3) == 3 && tags.last as? String == "c" && !tags.isEmpty)
        customer.tags = []
        #expect(tags.isEmpty && tags.popLast() == nil)
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

    @Test("8.7 Keys that lead to no array that can be changed throw")
    func errors() {
        #expect(codingError { try customer.mutableArrayValue(forKey: "tag") }?.nearKeys.first == "tags")
        #expect(codingError { try customer.mutableArrayValue(forKey: "tag") }?.code == .undefinedKey)
        #expect(codingError { try customer.mutableArrayValue(forKey: "") }?.code == .emptyKeyPath)
        #expect(codingError { try customer.mutableArrayValue(forKey: "sortedTags") }?.code == .notWritable)
        let error = codingError { try customer.mutableArrayValue(forKey: "age") }
        #expect(error?.code == .notACollection && error?.objectType == "Customer" && error?.key == "age")
    }

    @Test("8.7 A value of another type traps with the object, the key, the type wanted and the value, before delivery")
    func trap() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let customer = Customer()
            let token = customer.observe(\.tags, options: .prior) { _, _ in print("told") }
            try customer.mutableArrayValue(forKey: "tags").append(7)
            withExtendedLifetime(token) {}
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(
            message(of: result).contains(
                #"Customer has an array with elements of type String at "tags", and 7 of type Int was to be put into it."#
            ))
        #expect(!output.contains("told"))
    }

    @Test("8.7 8.4 A number that the elements' type does not hold, and nil, trap with the same sentence")
    func trapOfNumbers() async {
        let number = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let view = try NumberShelf().mutableArrayValue(forKey: "bytes")
            view.append(contentsOf: [1, 256])
        }
        #expect(
            message(of: number).contains(
                """
                NumberShelf has an array with elements of type UInt8 at "bytes", and 256 of type Int was to be put into \
                it, which UInt8 does not hold exactly.
                """))
        let absent = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = NumberShelf()
            shelf.bytes = [1]
            try shelf.mutableArrayValue(forKey: "bytes")[0] = Int?.none as Any
        }
        #expect(message(of: absent).contains(#"at "bytes", and nil was to be put into it."#))
    }

    @Test("#210 A key without a property is set by the hooks as a whole, and has no view")
    func hooks() throws {
        let attic = Attic()
        let log = Log()
        let token = attic.observe(\.boxes, options: [.old, .new]) { log.addToMany($1) }
        try attic.setValue(["A"], forKey: "things")
        #expect(attic.boxes == ["A"] && log.take() == [#"setting []→["A"]"#])
        #expect(codingError { try attic.mutableArrayValue(forKey: "things") }?.code == .undefinedKey)
        withExtendedLifetime(token) {}
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

/// Keeps its boxes under a key that has no property.
private final class Attic: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var boxes: [String] = []

    static var keyPathsByKey: [String: AnyKeyPath] { [:] }

    func value(forUndefinedKey key: String) throws -> Any? {
        guard key == "things" else { throw KeyValueCodingError(code: .undefinedKey, key: key, objectType: Attic.self) }
        return boxes
    }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws {
        guard key == "things", let boxes = value as? [String] else {
            throw KeyValueCodingError(code: .undefinedKey, key: key, objectType: Attic.self)
        }
        self.boxes = boxes
    }
}
