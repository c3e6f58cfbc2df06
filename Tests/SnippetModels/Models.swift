// What the examples in comments of the sources may use without declaring it; see Scripts/check-snippets.
import KeyValueCoding
import KeyValueObserving

class Person: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
    @Observed var address: Address?
    @Observed var friend: Person?
    @Observed var friends: [Person] = []
    @Observed var tags: [String] = []

    class var keyPathsByKey: [String: AnyKeyPath] {
        [
            "age": \Person.age, "name": \Person.name, "address": \Person.address, "friend": \Person.friend,
            "tags": \Person.tags,
        ]
    }
}

final class Address: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var city = ""

    static var keyPathsByKey: [String: AnyKeyPath] { ["city": \Address.city] }
}

final class Screen: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()

    func redraw() {}
    func log(_ text: String) {}
}

@MainActor let person = Person()
@MainActor let screen = Screen()
@MainActor let kvo = KVOController(observer: screen)
@MainActor var observations: Set<KeyValueObservation> = []
