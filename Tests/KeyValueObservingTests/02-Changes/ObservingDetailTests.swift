// Changes and tokens, in the cases that come up seldom: 2.4, 7.1, 10.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7.1 Changes and tokens, in the cases that come up seldom")
struct ObservingDetailTests {
    @Test("7.1 Applying a change that is still to come changes no set and no dictionary, and a setting replaces both")
    func applying() {
        let cupboard = Cupboard()
        var (labels, prices): (Set<String>, [String: Int]) = (["first"], ["first": 1])
        var priors = 0
        let tokens = [
            cupboard.observe(\.labels, options: [.old, .new, .prior]) { _, change in
                let before = labels
                change.apply(to: &labels)
                if change.isPrior {
                    priors += 1
                    #expect(labels == before)
                }
            },
            cupboard.observe(\.prices, options: [.old, .new, .prior]) { _, change in
                let before = prices
                change.apply(to: &prices)
                if change.isPrior {
                    priors += 1
                    #expect(prices == before)
                }
            },
        ]
        // The copies have something else, which a setting does not leave.
        cupboard.labels = ["a"]
        cupboard.prices = ["a": 1]
        #expect(labels == ["a"] && prices == ["a": 1] && priors == 2)
        cupboard.mutable(\.labels).remove("a")
        cupboard.mutable(\.prices).removeValue(forKey: "a")
        #expect(labels == [] && prices == [:] && priors == 4)
        withExtendedLifetime(tokens) {}
    }

    @Test("10.1 One token for several key paths is named after the first of them, until it ends")
    func groupName() {
        let person = Person()
        let token = person.observe(keyPaths: [\.age, \.name]) { _, _ in }
        #expect(token.debugDescription == "KeyValueObservation of age")
        token.invalidate()
        #expect(!token.debugDescription.contains("age"))
    }

    @Test("1.1 Tokens are told apart by their hashes")
    func hashes() {
        let person = Person()
        let tokens = (0..<10).map { _ in person.observe(\.age) { _, _ in } }
        #expect(Set(tokens.map(\.hashValue)).count > 1 && Set(tokens).count == 10)
    }

    @Test("D8 The text of a change shows a string in quotation marks, and other values without")
    func text() {
        let person = Person()
        let lines = Questions()
        let tokens = [
            person.observe(\.name, options: [.old, .new]) { _, change in lines.add("\(change)") },
            person.observe(\.age, options: [.old, .new]) { _, change in lines.add("\(change)") },
            person.observe(\.frame, options: .new) { _, change in lines.add("\(change)") },
        ]
        person.name = "a"
        person.age = 1
        person.frame = Frame(width: 1, height: 2)
        let all = lines.take()
        #expect(all.count == 3 && all[0].hasSuffix(", \"\" → \"a\"") && all[1].hasSuffix(", 0 → 1"))
        #expect(all[2].contains("Frame(width: 1, height: 2)"))
        withExtendedLifetime(tokens) {}
    }
}

private final class Cupboard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var labels: Set<String> = []
    @Observed var prices: [String: Int] = [:]
}
