// Key-value coding on several threads and on the main actor: semantics 9.6, row D6 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Key-value coding: threads")
struct KeyValueCodingIsolationTests {
    @Test("D6 9.3 A class is asked for its keys once, or by each of 8 threads that come first")
    func askedOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1250 { _ = try? Asked().value(forKey: "number") } }
            }
        }
        let questions = Dictionary(grouping: Asked.questions.take()) { $0 }
        #expect(questions.keys.sorted() == ["keys", "storage"])
        #expect(questions.values.allSatisfy { $0.count <= 8 }, "for 10,000 objects")
        _ = try? Asked().value(forKey: "number")
        #expect(Asked.questions.take() == [])
    }

    @Test("9.6 An object of the main actor is read and set by name there")
    @MainActor
    func mainActor() throws {
        let model = MainModel()
        try model.setValue(5, forKey: "number")
        #expect(try model.value(forKeyPath: "next.number") == nil)
        model.next = MainModel()
        try model.setValue(6, forKeyPath: "next.number")
        #expect(model.number == 5 && model.next?.number == 6)

        let log = Log()
        let tokens = [
            try model.observe("next.number", options: .new) { log.add($1) },
            try model.observe("next.numbers.@count", options: .new) { log.add($1) },
        ]
        model.next?.number = 7
        model.next?.numbers = [1, 2]
        #expect(log.take() == ["·→7", "·→2"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Asked: KeyValueCodable {
    static let questions = Questions()
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0

    static var keyPathsByKey: [String: AnyKeyPath] {
        questions.add("keys")
        return ["number": \Asked.number]
    }
    static var accessesStorageDirectly: Bool {
        questions.add("storage")
        return true
    }
}

@MainActor
private final class MainModel: @MainActor KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var numbers: [Int] = []
    @Observed var next: MainModel?

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["number": \MainModel.number, "numbers": \MainModel.numbers, "next": \MainModel.next]
    }
}
