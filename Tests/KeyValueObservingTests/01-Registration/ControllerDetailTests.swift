// What a controller keeps and lets go of, in the cases that come up seldom: 1.6, 9.4, 14.1.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("1.7 What a controller keeps and lets go of")
struct ControllerDetailTests {
    private let person = Person()
    private let observer = Person()

    @Test("A16 The same line of two files is two registrations")
    func sameLineElsewhere() {
        let log = Log()
        let controller = KVOController(observer: observer)
        for file in ["One/One.swift", "Two/Two.swift"] as [StaticString] {
            controller.observe(person, \.age, fileID: file, line: 1) { _, _, _ in log.add("\(file)") }
            controller.observe(person, \.age, fileID: file, line: 1) { _, _, _ in log.add("\(file) again") }
        }
        person.age = 1
        #expect(log.take() == ["One/One.swift", "Two/Two.swift"])
    }

    @Test("14.1 Removing one of two observers of a key path leaves the other one, which can be removed as well")
    func twoObservers() {
        let log = Log()
        let other = Person()
        person.addObserver(observer, for: [\.age]) { _, _, _ in log.add("one") }
        person.addObserver(other, for: [\.age]) { _, _, _ in log.add("other") }
        person.removeObserver(observer, for: \.age)
        person.age = 1
        #expect(log.take() == ["other"])
        person.removeObserver(other, for: \.age)
        person.age = 2
        #expect(log.take() == [] && person.observationInfo.isEmpty)
    }

    @Test("1.6 14.1 Observers that die are forgotten as others come, also if each observed another key path")
    func deadObserversAtManyKeyPaths() async {
        // In a process of its own, in which new observers get the addresses of some that died.
        await #expect(processExitsWith: .success) {
            let row = Row()
            for index in 0..<4_000 {
                row.addObserver(Person(), for: [\.[index]]) { _, _, _ in }
            }
            // Some may stay of each of some addresses.
            #expect(row.observationInfo.count < 300)
        }
    }

    @Test("9.4 The registrations of an object's own controllers end with it, even if somebody keeps the controller")
    func ownControllers() {
        var dying: Person? = Person()
        let controllers = [dying?.kvoController, dying?.kvoControllerNonRetaining]
        for controller in controllers { controller?.observe(person, \.age) { _, _, _ in } }
        #expect(person.observationInfo.count == 2)
        dying = nil
        #expect(person.observationInfo.isEmpty)
        withExtendedLifetime(controllers) {}
    }

    @Test("D8 A controller's text names computed properties as their class does")
    func names() {
        let controller = KVOController(observer: observer)
        controller.observe(Named(), \.doubled) { _, _, _ in }
        #expect(controller.debugDescription == "KVOController of Person, observing Named at doubled []")
    }

    @Test(
        "1.6 A controller's memory does not grow with registrations that have ended", .enabled(if: allocatedBytes() > 0)
    )
    func memoryOfEnded() async {
        await #expect(processExitsWith: .success) {
            let (row, observer) = (Row(), Person())
            let controller = KVOController(observer: observer, retainsObserved: false)
            controller.observe(row, \.first) { _, _, _ in }
            func cycle() {
                for index in 0..<2_000 {
                    controller.observe(row, \.[index]) { _, _, _ in }
                    controller.unobserve(row, \.[index])
                    controller.observe(row, \.second) { _, _, _ in }
                    controller.unobserve(row, \.second)
                }
            }
            cycle()
            #expect(bytesKept { for _ in 0..<8 { cycle() } } < 50_000)
        }
    }

    @Test("1.6 9.4 A controller forgets objects that died", .enabled(if: allocatedBytes() > 0))
    func memoryOfDead() async {
        await #expect(processExitsWith: .success) {
            let observer = Person()
            let controller = KVOController(observer: observer, retainsObserved: false)
            func cycle() {
                // They live at the same time, so that each has an address of its own.
                let rows = (0..<100).map { _ in Row() }
                for row in rows { controller.observe(row, \.first) { _, _, _ in } }
            }
            cycle()
            var filler: [[Int]] = []
            let before = allocatedBytes()
            for round in 0..<200 {
                filler.append(Array(repeating: round, count: 100))
                cycle()
            }
            #expect(allocatedBytes() - before < 2_000_000)
            withExtendedLifetime(filler) {}
        }
    }
}

/// Has any number of key paths.
private final class Row: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0

    subscript(index: Int) -> Int { first + index }
}

private final class Named: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0

    var doubled: Int { value * 2 }

    static var keyPathsByKey: [String: AnyKeyPath] { ["doubled": \Named.doubled] }
}
