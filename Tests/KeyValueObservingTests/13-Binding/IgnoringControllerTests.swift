// Changes that a controller ignores: 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.3 Changes that a controller ignores")
struct IgnoringControllerTests {
    private let person = Person()
    private let friend = Person()
    private let log = Log()

    private func observe(_ controller: KVOController<Log>, _ person: Person, as name: String) {
        controller.observe(person, \.age, options: [.old, .new], fileID: "A/A.swift", line: UInt(name.count)) {
            log, _, change in log.add(change, as: name)
        }
    }

    @Test("13.3 None of its registrations is called, on whichever object; all others are")
    func all() {
        let (controller, other) = (KVOController(observer: log), KVOController(observer: log))
        observe(controller, person, as: "a")
        observe(controller, friend, as: "b")
        observe(other, person, as: "other")
        let result = controller.ignoringChanges {
            person.age = 1
            friend.age = 1
            return 7
        }
        #expect(result == 7 && log.take() == ["other 0→1"])
        person.age = 2
        #expect(log.take() == ["a 1→2", "other 1→2"])
    }

    @Test("13.3 Those that are made meanwhile ignore what changes after that, too", arguments: [true, false])
    func madeMeanwhile(isNested: Bool) {
        let (controller, other) = (KVOController(observer: log), KVOController(observer: log))
        observe(other, person, as: "other")
        controller.ignoringChanges {
            func register() {
                observe(controller, person, as: "late")
                observe(other, person, as: "others")
                person.age = 1
            }
            if isNested { other.ignoringChanges(register) } else { register() }
            person.age = 2
        }
        #expect(log.take() == (isNested ? [] : ["other 0→1", "others 0→1"]) + ["other 1→2", "others 1→2"])
        person.age = 3
        #expect(log.take() == ["other 2→3", "late 2→3", "others 2→3"])
    }

    @Test("13.3 10.2 In a transaction, first old and last new are those that are not ignored")
    func transaction() {
        let controller = KVOController(observer: log)
        observe(controller, person, as: "a")
        withKeyValueTransaction {
            person.age = 1
            controller.ignoringChanges { person.age = 2 }
        }
        #expect(log.take() == ["a 0→1"])
    }

    @Test("13.3 What throws ends it")
    func failure() {
        struct Failure: Error {}
        let controller = KVOController(observer: log)
        observe(controller, person, as: "a")
        #expect(throws: Failure.self) {
            try controller.ignoringChanges { () throws(Failure) in
                person.age = 1
                throw Failure()
            }
        }
        person.age = 2
        #expect(log.take() == ["a 1→2"])
    }
}
