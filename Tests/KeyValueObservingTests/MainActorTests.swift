// Models isolated to the main actor.
import KeyValueObserving
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
        controller.observe(model, \.count, action: Model.touch)
        model.count = 5
        #expect(seen == [5, 1] && model.touched == 2)
        withExtendedLifetime((token, text, controller)) {}
    }

    @Test("9.6 A @MainActor class may answer for its properties")
    func mainActorOverrides() {
        let model = QuietModel()
        var told = 0
        let token = model.observe(\.count) { _, _ in told += 1 }
        model.count = 1
        #expect(told == 0)
        withExtendedLifetime(token) {}
    }
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
private final class QuietModel: @MainActor KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }
}
