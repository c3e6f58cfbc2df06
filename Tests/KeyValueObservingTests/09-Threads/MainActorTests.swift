// Models isolated to the main actor.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Main actor")
@MainActor
struct MainActorTests {
    @Test("9.6 C20 A @MainActor class is observed from the main actor without ceremony")
    func mainActor() {
        let model = Model()
        var seen: [Int] = []
        let token = model.observe(\.count, options: .new) { model, change in
            model.touch()
            seen.append(change.newValue!)
        }
        let text = model.observe(\.text, options: .new) { seen.append($1.newValue!.count) }
        let controller = KVOController(observer: model)
        controller.perform(Model.touch, onChangeOf: model, \.count)
        model.count = 5
        #expect(seen == [5, 1] && model.touched == 2)
        withExtendedLifetime((token, text, controller)) {}
    }

    @Test("9.6 An object of the main actor is read, set and observed by name there")
    func byName() throws {
        let (model, log) = (MainModel(), Log())
        model.next = MainModel()
        try model.setValue(6, forKeyPath: "next.number")
        #expect(try model.value(forKeyPath: "next.number") as? Int == 6)
        let token = try model.observe("next.number", options: .new) { log.add($1) }
        model.next?.number = 7
        #expect(log.take() == ["·→7"])
        withExtendedLifetime(token) {}
    }

    @Test("2.6 Accesses in place that are held across suspensions end in any order, on any thread", arguments: 0..<5)
    func accessesAcrossSuspensions(round: Int) async {
        async let first = told(yields: 3)
        async let second = told(yields: 20)
        async let third = toldElsewhere(yields: round % 7 * 4)
        async let fourth = toldElsewhere(yields: 30 - round)
        async let fifth = toldElsewhere(yields: 2)
        let counts = await [first, second, third, fourth, fifth]
        #expect(counts == [2, 2, 2, 2, 2])
    }

    private func told(yields: Int) async -> Int { await tellAcrossSuspensions(yields: yields) }
}

@MainActor
private final class Model: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    var text: String { "\(count)" }
    var touched = 0

    func touch() { touched += 1 }
}

@MainActor
private final class MainModel: @MainActor KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var next: MainModel?

    static var keyPathsByKey: [String: AnyKeyPath] { ["number": \MainModel.number, "next": \MainModel.next] }
}

/// How often an observer is notified of an access in place that is held across suspensions, and of a set after it.
nonisolated(nonsending) private func tellAcrossSuspensions(yields: Int) async -> Int {
    let person = Person()
    var told = 0
    let token = person.observe(\.age) { _, _ in told += 1 }
    await increment(&person.age, yields: yields)
    person.age = 5
    withExtendedLifetime(token) {}
    return told
}

@concurrent
private func toldElsewhere(yields: Int) async -> Int { await tellAcrossSuspensions(yields: yields) }

nonisolated(nonsending) private func increment(_ count: inout Int, yields: Int) async {
    for _ in 0..<yields { await Task.yield() }
    count += 1
}
