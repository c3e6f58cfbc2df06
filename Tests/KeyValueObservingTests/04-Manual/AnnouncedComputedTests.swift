// A pair at a computed property, and accesses in place inside a pair: 4.1, 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.1 3.5 Pairs at computed properties, and accesses in place inside pairs")
struct AnnouncedComputedTests {
    private let observers = WorksheetObservers()
    private var sheet: Worksheet { observers.sheet }

    @Test("4.1 A pair at a computed property calls at the did; its sources' changes between call, too")
    func pair() {
        observers.observe("sum a")
        sheet.willChangeValue(for: \.sum)
        #expect(observers.take() == [])
        sheet.a = 1
        #expect(observers.take() == ["sum 0→1", "a 0→1"])
        sheet.b = 2
        #expect(observers.take() == ["sum 1→3"])
        sheet.didChangeValue(for: \.sum)
        #expect(observers.take() == ["sum 3→3"])
        sheet.didChangeValue(for: \.sum)
        #expect(observers.take() == [])
    }

    @Test(
        "4.1 10.2 2.4 In a transaction that is one call, with one prior, wherever the pair ends",
        arguments: [false, true])
    func pairInTransaction(endsInside: Bool) {
        observers.observe("sum", [.old, .new, .prior])
        withKeyValueTransaction {
            sheet.willChangeValue(for: \.sum)
            sheet.a = 1
            if endsInside { sheet.didChangeValue(for: \.sum) }
            sheet.b = 2
            #expect(observers.take() == ["sum prior 0→·"])
        }
        #expect(observers.take() == ["sum 0→3"])
        if !endsInside { sheet.didChangeValue(for: \.sum) }
        #expect(observers.take() == (endsInside ? [] : ["sum 3→3"]))
    }

    @Test("4.1 16.1 With .distinct the did does not repeat a delivered value; a silent one it delivers")
    func distinct() {
        observers.observe("sum", [.old, .new, .distinct])
        sheet.changeValue(for: \.sum) { sheet.a = 1 }
        #expect(observers.take() == ["sum 0→1"])
        sheet.changeValue(for: \.sum) {}
        #expect(observers.take() == [])
    }

    @Test("P3 P5 The did evaluates a path that was first observed inside the pair, and calls nobody")
    func pathObservedInside() {
        let (person, friend) = (Person(), Person())
        person.friend = friend
        let friends = person.observe(\.friend) { _, _ in }
        let first = person.observe(\.friend?.age) { _, _ in }
        person.willChangeValue(for: \.friend?.age)
        first.invalidate()
        person.willChangeValue(for: \.friend)
        var calls = 0
        let second = person.observe(\.friend?.age) { _, _ in calls += 1 }
        person.friend = nil
        person.didChangeValue(for: \.friend?.age)
        // It does not depend on the former friend any more.
        friend.age = 1
        #expect(calls == 0)
        withExtendedLifetime((friends, second)) {}
    }

    @Test("3.5 An access in place inside the property's own pair belongs to it")
    func accessInside() {
        observers.observe("a sum items count")
        sheet.willChangeValue(for: \.a)
        sheet.a += 1
        inPlace(&sheet.a) { $0 = 5 }
        #expect(observers.take() == [])
        sheet.didChangeValue(for: \.a)
        #expect(observers.take() == ["a 0→5", "sum 0→5"])
        sheet.changeValue(for: \.items) { sheet.items += ["x"] }
        #expect(observers.take() == ["items []→[\"x\"]", "count 0→1"])
    }

    @Test("3.5 P4 A did inside an access in place: the end of the access calls, once")
    func didInside() {
        observers.observe("a sum")
        sheet.willChangeValue(for: \.a)
        inPlace(&sheet.a) {
            $0 = 3
            sheet.didChangeValue(for: \.a)
            #expect(observers.take() == [])
            $0 = 4
        }
        #expect(observers.take() == ["a 0→4", "sum 0→4"])
        sheet.didChangeValue(for: \.a)
        #expect(observers.take() == [])
        inPlace(&sheet.a) {
            sheet.willChangeValue(for: \.a)
            $0 = 6
        }
        _ = observers.take()
        sheet.didChangeValue(for: \.a)
        sheet.a = 7
        #expect(observers.take().suffix(2) == ["a 6→7", "sum 6→7"])
    }

    @Test("3.5 A did on another thread is surplus; a second will counts, and the first one's did closes")
    func nestedAndElsewhere() {
        observers.observe("code quiet")
        let shared = Unchecked(value: sheet)
        sheet.willChangeValue(for: \.quiet)
        sheet.quiet = 1
        onThreads(1) { _ in shared.value.didChangeValue(for: \.quiet) }
        #expect(observers.take() == [])
        sheet.willChangeValue(for: \.quiet)
        sheet.quiet = 2
        sheet.didChangeValue(for: \.quiet)
        #expect(observers.take() == [])
        sheet.willChangeValue(for: \.code)
        sheet.didChangeValue(for: \.quiet)
        #expect(observers.take() == ["quiet 0→2"])
        sheet.didChangeValue(for: \.code)
        #expect(observers.take() == ["code 0→0"])
        for _ in 0..<2 { sheet.didChangeValue(for: \.quiet) }
        #expect(observers.take() == [])
    }

    @Test("3.5 4.1 Accessors as the macro writes them: an access in place inside the pair is part of it")
    func accessors() {
        let (sheet, log) = (AccessorSheet(), Log())
        let tokens = [
            sheet.observe(\.cells) { log.add($1) }, sheet.observe(\.quiet) { log.add($1, as: "quiet") },
            sheet.observe(\.sum) { log.add($1, as: "sum") },
        ]
        sheet.changeValue(for: \.cells) {
            sheet.cells.append(1)
            sheet.cells = [2]
            sheet.cells.append(3)
        }
        #expect(log.take() == ["[]→[2, 3]", "sum 0→5"])
        sheet.changeValue(for: \.quiet) { sheet.quiet.append(4) }
        #expect(log.take() == ["quiet []→[4]", "sum 5→9"])
        withExtendedLifetime(tokens) {}
    }
}
