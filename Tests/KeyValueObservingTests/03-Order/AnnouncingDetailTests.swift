// What is read, called and kept while a change is announced: 2.1, 2.4, 3.5, 7.2 and 9.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Announced changes, in detail")
struct AnnouncingDetailTests {
    @Test("2.1 A property that notifies manually is not read for observers who need no values")
    func notRead() {
        let (desk, log) = (Desk(), Log())
        let tokens = [
            desk.observe(\.total, options: []) { log.add($1, as: "total") },
            desk.observe(\.double, options: []) { log.add($1) },
        ]
        desk.reads = 0
        desk.willChangeValue(for: \.total)
        #expect(desk.reads == 0)
        desk.didChangeValue(for: \.total)
        #expect(log.take() == ["total ·→·", "·→·"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.4 3.5 There is one prior, where a change is announced within an access that has called before it")
    func priorOnce() async {
        await #expect(processExitsWith: .success) {
            let (desk, log) = (Desk(), Log())
            let token = desk.observe(\.tripled, options: [.old, .new, .prior]) { log.add($1) }
            func access(_ number: inout Int) {
                desk.willChangeValue(for: \.tripled)
                number = 2
                desk.didChangeValue(for: \.tripled)
            }
            access(&desk.number)
            #expect(log.take() == ["prior 0→·", "0→6"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 A change that is announced keeps the object at the start of a path no longer than its prior calls")
    func rootAfterPrior() {
        let (desk, log) = (Desk(), Log())
        var holder: Keeper? = Keeper(desk)
        weak let weakHolder = holder
        let token = holder?.observe(\.desk.total, options: [.old, .new, .prior]) { log.add($1) }
        desk.willChangeValue(for: \.total)
        #expect(log.take() == ["prior 0→·"])
        holder = nil
        #expect(weakHolder == nil)
        desk.didChangeValue(for: \.total)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }
}

private final class Keeper: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var desk: Desk

    init(_ desk: Desk) { self.desk = desk }
}

private final class Desk: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var quiet = 0
    var reads = 0

    var total: Int {
        accessValue(for: \.total)
        reads += 1
        return 0
    }

    var double: Int { total * 2 }
    var tripled: Int { number * 3 }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \Desk.quiet && keyPath != \Desk.total
    }
}
