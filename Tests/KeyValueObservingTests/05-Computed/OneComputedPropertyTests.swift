// Changes that one path alone is read for: what they borrow, and what getters may do meanwhile.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("5 Changes that one computed property is read for")
struct OneComputedPropertyTests {
    private let log = Log()

    @Test("9.4 A getter that removes the observation: nobody is notified, and the handler is released")
    func getterThatRemoves() {
        let pair = Pair()
        weak var witness: Log?
        do {
            let captured = Log()
            witness = captured
            pair.token = pair.observe(\.sum, options: [.old, .new]) {
                captured.add($1)
                log.add($1)
            }
        }
        pair.first = 1
        pair.isRemoving = true
        pair.first = 2
        #expect(log.take() == ["0→1"])
        #expect(witness == nil)
        pair.first = 3
        #expect(log.take() == [])
    }

    @Test("9.4 A change in the deinit of the object where the path starts is not delivered")
    func changeInDeinit() {
        let observation: KeyValueObservation
        do {
            let pair = Pair()
            observation = pair.observe(\.sum, options: [.old, .new]) { log.add($1) }
            pair.first = 1
            pair.second = 2
            pair.first = 2
            pair.setsInDeinit = true
        }
        #expect(log.take() == ["0→1", "1→3", "3→4"])
        withExtendedLifetime(observation) {}
    }
}

private final class Pair: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0
    var most = Int.max
    var token: KeyValueObservation?
    var isRemoving = false
    var setsInDeinit = false

    var sum: Int {
        if first > most { first = most }
        if isRemoving { token = nil }
        return first + second
    }

    deinit {
        if setsInDeinit { first = 5 }
    }
}
