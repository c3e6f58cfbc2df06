// One registration at several key paths, beside the cells: 10.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.1 Several at once")
struct SeveralKeyPathsTests {
    private let kept = Kept()
    private let log = Log()
    private let student = Student()

    @Test("10.1 A5 A6 Each change has its own key path; a change that concerns several is delivered for each, in order")
    func order() {
        let keyPaths: [PartialKeyPath<Student>] = [\.isAdult, \.age, \.summary, \.address?.city, \.school]
        student.observe(keyPaths: keyPaths, options: .new) { [log] in
            log.add($1, as: "\(keyPaths.firstIndex(of: $1.keyPath as? PartialKeyPath<Student> ?? \.self) ?? -1)")
        }.store(in: kept)
        student.age = 18
        student.address = Address(city: "Oslo")
        student.school = "x"
        #expect(log.take() == ["0 ·→true", "1 ·→18", "2 ·→, 18", "3 ·→Oslo", "4 ·→x"])
    }

    @Test("10.1 A key path that is given twice counts once, however it is written", arguments: 0..<2)
    func twice(holder: Int) {
        let controller = KVOController(observer: log, duplicates: .allow)
        let keyPaths: [PartialKeyPath<Student>] = [\Student.age, \Student.age, \.isAdult, \.isAdult]
        let token = holder == 0 ? student.observe(keyPaths: keyPaths, options: .new) { [log] in log.add($1) } : nil
        if holder == 1 {
            controller.observe(student, keyPaths: keyPaths, options: .new) { log, _, change in log.add(change) }
        }
        student.age = 30
        #expect(log.take() == ["·→30", "·→true"] && student.observationInfo.count == 2)
        withExtendedLifetime(token) {}
    }

    @Test(
        "10.1 An empty list traps, and all key paths are checked before the first is registered",
        .enabled(if: hasReflectionMetadata), arguments: 0..<4)
    func misuse(call: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            let (log, plain) = (Log(), Unlisted())
            let controller = KVOController(observer: log)
            switch call {
            case 0: _ = plain.observe(keyPaths: []) { _, _ in }
            case 1: controller.observe(plain, keyPaths: []) { _, _, _ in }
            case 2: _ = plain.observe(keyPaths: [\.shown, \.plain], options: .initial) { _, _ in fatalError("called") }
            default:
                controller.observe(plain, keyPaths: [\.shown, \.plain], options: .initial) { _, _, _ in
                    fatalError("called")
                }
            }
        }
        #expect(
            words(
                "Unlisted cannot be observed at", call < 2 ? "the list is empty" : "plain",
                missingIn: message(of: result)) == [])
        #expect(!message(of: result).contains("called"))
    }

    @Test("10.1 A body of changeValue that throws is followed by its did all the same")
    func throwing() {
        struct Refusal: Error {}
        student.observe(\.school, options: .new) { [log] in log.add($1) }.store(in: kept)
        #expect(throws: Refusal.self) {
            try student.changeValue(for: \.school) {
                student.school = "new"
                throw Refusal()
            }
        }
        #expect(log.take() == ["·→new"])
    }
}

private final class Unlisted: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var shown = 0
    var plain = 0
}
