// Ending, removing and asking read no property, however its key path is written: 9.1.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("9.1 Ending, removing and asking read no property")
struct EndingReadsNothingTests {
    enum Call: CaseIterable, Codable, Sendable {
        case unobserve, removeObserver, stopObserving, isObserved, announce

        fileprivate func run(_ observing: Observing, at keyPath: KeyPath<Student, String>) {
            let student = observing.student
            switch self {
            case .unobserve: observing.controller.unobserve(student, keyPath)
            case .removeObserver: student.removeObserver(observing.log, for: keyPath)
            case .stopObserving: observing.stopObserving(student, keyPath)
            case .isObserved: _ = student.isObserved(keyPath)
            case .announce:
                student.willChangeValue(for: keyPath)
                student.didChangeValue(for: keyPath)
            }
        }
    }

    @Test(
        "9.1 3.5 They may stand inside an access to the property, as a subclass or a generic context writes it",
        arguments: Call.allCases, [false, true])
    func insideAnAccess(call: Call, isGeneric: Bool) async {
        await #expect(processExitsWith: .success) { [call, isGeneric] in
            let observing = Observing()
            observing.observeAndEnd()
            func access(_ name: inout String) {
                call.run(observing, at: isGeneric ? inherited() : \Student.name)
                name = "x"
            }
            // Nobody observes the property any more, so that the library does not know of the access.
            access(&observing.student.name)
            #expect(observing.log.take() == [])
        }
    }

    @Test("9.1 Nor is a computed property read", arguments: Call.allCases)
    func computed(call: Call) {
        let counter = ReadCounter()
        let controller = KVOController(observer: log)
        let token = counter.observe(\.level) { _, _ in }
        controller.observe(counter, \.doubled) { _, _, _ in }
        let reads = counter.reads
        switch call {
        case .unobserve: controller.unobserve(counter, doubled(ReadCounter.self))
        case .removeObserver: counter.removeObserver(log, for: doubled(ReadCounter.self))
        case .stopObserving: Observing().stopObserving(counter, doubled(ReadCounter.self))
        case .isObserved, .announce: _ = counter.isObserved(doubled(ReadCounter.self))
        }
        #expect(counter.reads == reads)
        withExtendedLifetime(token) {}
    }

    private let log = Log()
}

/// Observes a student's name in three ways, as the superclass writes it.
private final class Observing: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
    let student = Student()
    let log = Log()
    let controller: KVOController<Log>

    init() {
        controller = KVOController(observer: log)
    }

    /// Leaves the property known and unobserved, and another one observed.
    func observeAndEnd() {
        let person: Person = student
        controller.observe(person, \.name) { log, _, change in log.add(change) }
        person.addObserver(log, for: [\.name]) { log, _, change in log.add(change) }
        observe(person, \.name) { owner, _, change in owner.log.add(change) }
        controller.unobserveAll()
        person.removeAllObservers()
        stopObservingAll()
        controller.observe(student, \.age) { _, _, _ in }
    }
}

private protocol Named: KeyValueObservable {
    var name: String { get set }
}

extension Person: Named {}

private func inherited<Object: Person>() -> KeyPath<Object, String> { \Object.name }

private protocol Doubling: KeyValueObservable {
    var doubled: Int { get }
}

private func doubled<Object: Doubling>(_ type: Object.Type) -> KeyPath<Object, Int> { \Object.doubled }

private final class ReadCounter: Doubling {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    var reads = 0
    var doubled: Int {
        reads += 1
        return level * 2
    }
}
