// Every declaration of the public contract as a user writes it: by hand, to-many properties, actors.
import KeyValueObserving
import TestSupport
import Testing

extension PublicContractTests {
    /// Notifies by hand.
    final class Thermometer: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        var raw = 0
        var days: [String] = []
        var signs: Set<String> = []

        static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Thermometer.degrees }

        var degrees: Int {
            get {
                accessValue(for: \.degrees)
                return raw
            }
            set {
                willChangeValue(for: \.degrees)
                raw = newValue
                didChangeValue(for: \.degrees)
            }
        }
        var names: [String] {
            get {
                accessValue(for: \.names)
                return days
            }
            set {
                changeValue(for: \.names) { days = newValue }
            }
        }
        var marks: Set<String> {
            get {
                accessValue(for: \.marks)
                return signs
            }
            set {
                changeValue(for: \.marks) { signs = newValue }
            }
        }
        var isWarm: Bool { degrees > 20 }
    }

    @MainActor
    final class MainModel: @MainActor KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
        @Observed var items: [Int] = []
        static var asked: [AnyKeyPath] = []

        static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
            asked.append(keyPath)
            return keyPath != \MainModel.count
        }
    }

    class Base: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
        static let asked = Questions()

        class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
            asked.add("\(type(of: keyPath).rootType)")
            return true
        }
    }

    final class Derived: Base {}
}

@Suite("The public contract: by hand and to-many")
struct PublicContractToManyTests {
    typealias Person = PublicContractTests.Person
    typealias Thermometer = PublicContractTests.Thermometer
    typealias Base = PublicContractTests.Base
    typealias Derived = PublicContractTests.Derived

    let person = Person()
    let log = Log()

    @Test("To-many: a view is a collection as far as its value is one, and keeps its object alive")
    func collection() {
        func count<View: RandomAccessCollection & MutableCollection>(_ view: View) -> Int where View.Index == Int {
            view.indices.reversed().count
        }
        func members<View: Collection>(_ view: View) -> Int where View.Element == String { view.count }
        var person: Person? = Person()
        let tags: ObservedMutableArray<String> = person!.mutable(\.tags)
        let friends: ObservedMutableSet<String> = person!.mutable(\.friends)
        let same: ObservedMutableProperty<[String]> = person!.mutable(\.tags)
        weak let weakPerson = person
        person = nil
        tags.append("x")
        friends.insert("y")
        #expect(count(tags) == 1 && members(friends) == 1 && same[0] == "x" && weakPerson?.tags == ["x"])
        #expect(
            Array(same) == ["x"] && same.first == same.last && friends.contains("y") && same.map(\.count) == [1])
        withExtendedLifetime((tags, friends, same)) {}
    }

    @Test(
        "Small print: the key path given to both static functions is rooted at the declaring class")
    func declaringClass() {
        let token = Base().observe(\.count) { _, _ in }
        #expect(Base.asked.take() == ["Base"])
        let derived = Derived().observe(\.count) { _, _ in }
        #expect(Derived.asked.take().last == "Base")
        withExtendedLifetime((token, derived)) {}
    }
}

@Suite("The public contract: actors")
@MainActor
struct PublicContractActorTests {
    typealias MainModel = PublicContractTests.MainModel

    // #377
    @Test("Small print: a class that overrides a static function conforms as @MainActor KeyValueObservable")
    func mainActor() {
        let model = MainModel()
        var told: [String] = []
        let token = model.observe(\.count) { model, _ in told.append("token \(model.count)") }
        let controller = KVOController(observer: model)
        controller.observe(model, \.count) { _, _, _ in told.append("controller") }
        controller.observe(model, keyPaths: [\.count, \.items]) { _, _, _ in told.append("several") }
        model.kvoController.observe(model, \.items) { _, _, _ in told.append("own") }
        model.count = 1
        model.willChangeValue(for: \.count)
        model.count = 2
        model.didChangeValue(for: \.count)
        model.mutable(\.items).append(1)
        model.mutable(\.items).append(2)
        #expect(told == ["token 2", "controller", "several", "several", "own", "several", "own"])
        #expect(MainModel.asked.contains(\MainModel.count) && model.isObserved(\.items))
        withExtendedLifetime((token, controller)) {}
    }
}
