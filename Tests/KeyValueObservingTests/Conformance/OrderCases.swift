// Conformance cases of group 3: in which order, and how often, observers are notified.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 3: order and counts")
struct OrderCases {
    private let person = Person()
    private let sample = Sample()
    private let log = Log()
    private let watcher = Watcher()

    @Test("#70 Five observers are notified in the order of their registration, priors too (3.2)")
    func registrationOrder() {
        for name in 1...5 { watcher.watch(person, \.age, as: "\(name)", name % 2 == 1 ? [.new, .prior] : .new) }
        person.age = 7
        #expect(
            watcher.take() == [
                "1 prior ·→·", "3 prior ·→·", "5 prior ·→·", "1 ·→7", "2 ·→7", "3 ·→7", "4 ·→7", "5 ·→7",
            ])
    }

    @Test("#70 Observers of a property, of what is computed from it and of paths keep one common order (3.2)")
    func commonOrder() {
        let friend = Person()
        person.friend = friend
        watcher.watch(person, \.friend?.age, as: "path")
        watcher.watch(friend, \.age, as: "property")
        watcher.watch(friend, \.isAdult, as: "computed")
        watcher.watch(person, \.friend?.isAdult, as: "computed path")
        watcher.watch(friend, \.age, as: "property again")
        friend.age = 1
        #expect(
            watcher.take() == [
                "path ·→·", "property ·→·", "computed ·→·", "computed path ·→·", "property again ·→·",
            ])
    }

    /// Logs where its handler begins and ends, with the age it sees; one that `sets` does so until the age is that.
    private func enter(_ name: String, sets target: Int? = nil) -> KeyValueObservation {
        person.observe(\.age) { [log] person, _ in
            log.add(">>\(name) \(person.age)")
            if let target, person.age != target { person.age = target }
            log.add("<<\(name)")
        }
    }

    @Test("#71 A change made by a handler waits until the outer one was delivered to all (3.4)")
    func nestedChangeBySecondLast() {
        let tokens = [enter("first", sets: 2), enter("second")]
        person.age = 1
        #expect(
            log.take() == [
                ">>first 1", ">>second 1", "<<second", ">>first 2", "<<first", ">>second 2", "<<second", "<<first",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("#71 A change made by the last handler finds everybody notified (3.4)")
    func nestedChangeByLast() {
        let tokens = [enter("second"), enter("first", sets: 2)]
        person.age = 1
        #expect(
            log.take() == [
                ">>second 1", "<<second", ">>first 1", ">>second 2", "<<second", ">>first 2", "<<first", "<<first",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("#71 However deep handlers set, each observer sees every change once and in order (3.4)", arguments: 0..<3)
    func deepNesting(setter: Int) {
        var seen: [[String]] = [[], [], []]
        let tokens = (0..<3).map { index in
            person.observe(\.age, options: [.old, .new]) { person, change in
                seen[index].append(text(of: change))
                if index == setter, person.age < 5 { person.age += 1 }
            }
        }
        person.age = 1
        #expect(seen == Array(repeating: ["0→1", "1→2", "2→3", "3→4", "4→5"], count: 3))
        withExtendedLifetime(tokens) {}
    }

    @Test("#73 Priors, a dependent property and a change made by a handler, delivered change by change (3.4, 5.1)")
    func dependentWithNestedChange() {
        final class Amount: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var anInt = 0
            var aFloat: Double { Double(anInt) }
        }
        let amount = Amount()
        let first = amount.observe(\.anInt, options: [.prior, .old]) { [log] amount, change in
            if !change.isPrior, amount.anInt != 42 {
                log.add("anInt before \(amount.anInt)")
                amount.anInt = 42
            }
            log.add("\(change.isPrior ? "will" : "did") anInt from \(change.oldValue ?? -1), is \(amount.anInt)")
        }
        let second = amount.observe(\.aFloat, options: [.prior, .old]) { [log] amount, change in
            log.add("\(change.isPrior ? "will" : "did") aFloat from \(change.oldValue ?? -1), is \(amount.aFloat)")
        }
        amount.anInt = 1
        #expect(
            log.take() == [
                "will anInt from 0, is 0", "will aFloat from 0.0, is 0.0",
                "anInt before 1",
                // The nested change completes the outer one first.
                "did aFloat from 0.0, is 1.0",
                "will anInt from 1, is 1", "will aFloat from 1.0, is 1.0",
                "did anInt from 1, is 42", "did aFloat from 1.0, is 42.0",
                "did anInt from 0, is 42",
            ])
        withExtendedLifetime((first, second)) {}
    }

    /// Reads one of two properties, as a third one says.
    private final class Switch: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var usesSecond = false
        @Observed var first = 1
        @Observed var second = 2
        var value: Int { usesSecond ? second : first }
        var sum: Int { first + second }
    }

    @Test(
        "#71 A prior handler makes a computed property read what is changing; its observers get the final value (3.4)")
    func redirectedInPrior() {
        let object = Switch()
        watcher.watch(object, \.value, [.old, .new])
        let token = object.observe(\.second, options: .prior) { object, change in
            if change.isPrior { object.usesSecond = true }
        }
        object.second = 5
        #expect(watcher.take() == ["1→2", "2→5"])
        withExtendedLifetime(token) {}
    }

    @Test("#71 After a prior handler set the changing property, old is still what was delivered last (3.4, 3.5)")
    func setInPriorThenOther() {
        let object = Switch()
        watcher.watch(object, \.sum, [.old, .new])
        let token = object.observe(\.first, options: .prior) { object, change in
            guard change.isPrior else { return }
            // Belongs to the outer change, so nobody is notified.
            object.first = 10
            object.second = 3
        }
        object.first = 20
        #expect(watcher.take() == ["3→13", "13→23"])
        withExtendedLifetime(token) {}
    }

    @Test("#75 A set through a key path or a view is one change, as the property's own")
    func indirectSets() {
        watcher.watch(sample, \.text, .new)
        let keyPath = \Sample.text
        sample[keyPath: keyPath] = "a"
        #expect(watcher.take() == ["·→a"])
        sample.mutable(\.text).value = "b"
        #expect(watcher.take() == ["·→b"])

        let renamed = Renamed()
        watcher.watch(renamed, \.name, .new)
        renamed[keyPath: \.name] = "c"
        #expect(watcher.take() == ["·→set_c"])
    }

    @Test("#78 A plain set of a property that does not notify by itself notifies nobody (4.2)")
    func silentProperty() {
        watcher.watch(sample, \.silent, [.old, .new, .prior])
        sample.silent = 1
        sample.silent += 1
        sample[keyPath: \.silent] = 3
        #expect(watcher.take() == [])
        #expect(sample.silent == 3)
    }

    @Test("#81 Three sets to the same value are three changes (2.5)")
    func equalValues() {
        watcher.watch(person, \.age, .new)
        for _ in 1...3 { person.age = 0 }
        #expect(watcher.take() == ["·→0", "·→0", "·→0"])
    }

    @Test("#83 A property and a path through it each deliver their own old and new")
    func ownPendingChange() {
        sample.child = Sample("old", text: "Original")
        watcher.watch(sample, \.child, as: "child", [.old, .new])
        watcher.watch(sample, \.child?.text, as: "child.text", [.old, .new])
        sample.child = Sample("new", text: "NewObj")
        #expect(watcher.take() == ["child old→new", "child.text Original→NewObj"])
    }

    @Test("#85 In the prior call the property still has its old value, then the new one")
    func liveValue() {
        let token = person.observe(\.age, options: [.prior, .new]) { [log] person, change in
            log.add(change, as: "sees \(person.age),")
        }
        person.age = 1
        #expect(log.take() == ["sees 0, prior ·→·", "sees 1, ·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("#86 While they are notified, observers may register, end registrations and list them (3.3)")
    func handlersComeBack() {
        var added: [KeyValueObservation] = []
        let removed = watcher.watch(person, \.name, as: "name")
        let token = person.observe(\.age) { [watcher, log] person, _ in
            log.add("\(person.observationInfo.count)")
            removed.invalidate()
            added.append(watcher.watch(person, \.tags, as: "tags", [.initial, .new]))
            person.name = "x"
            person.tags.append("y")
            log.add("\(person.observationInfo.count)")
        }
        person.age = 1
        #expect(log.take() == ["2", "2"])
        #expect(watcher.take() == ["tags ·→[]", #"tags ·→["y"]"#])
        withExtendedLifetime((token, added)) {}
    }
}
