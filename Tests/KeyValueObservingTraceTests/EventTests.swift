// Which events there are, and what they come from: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Events")
    struct EventTests {
        private let cart = Cart()

        @Test("19.1 A registration, a change, the call of its handler and the end are events, with the place")
        func fourKinds() {
            let events = traced {
                let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
                cart.count = 3
                token.invalidate()
            }.of(cart)
            #expect(
                events.lines == [
                    "registration count", "change count 0→3", "change count › delivery count", "end count",
                ])
            #expect(events.map(\.object?.typeName) == ["Cart", "Cart", "Cart", "Cart"])
            #expect(events[0].fileID == "KeyValueObservingTraceTests/EventTests.swift")
            #expect(events[0].line == 15)
            #expect(events[1].line == nil)
            #expect(events[2].line == 15)
            #expect(Set([events[0], events[2], events[3]].map(\.registration)).count == 1)
            let number = events[0].registration
            #expect(KeyValueTrace.events.of(.end).count { $0.registration == number } == 1)
            #expect(events.allSatisfy { $0.duration != nil })
        }

        @Test("19.1 A change without observers is no event")
        func unobserved() {
            let events = traced { cart.count = 3 }
            #expect(events.of(cart).lines == [])
        }

        @Test("19.1 Each recipient is called by an event of its own, in order, whatever is between them")
        func recipients() {
            let log = Log()
            let tokens = (0..<3).map { index in
                cart.observe(\.count, options: .new) { _, change in log.add("\(index) \(change.newValue ?? -1)") }
            }
            let other = cart.observe(\.total) { _, _ in log.add("total") }
            let events = traced { cart.count = 1 }.of(cart)
            #expect(log.lines == ["0 1", "1 1", "2 1", "total"])
            #expect(
                events.lines == [
                    "change count ·→1", "change count › evaluation total ·→0", "change count › delivery count",
                    "change count › delivery count", "change count › delivery count", "change count › delivery total",
                ])
            withExtendedLifetime((tokens, other)) {}
        }

        @Test("19.1 A change made inside a handler comes from the call, and is delivered in the order of the changes")
        func nested() {
            let log = Log()
            let first = cart.observe(\.count, options: [.old, .new]) { cart, change in
                log.add("first \(change.newValue!)")
                if change.newValue == 1 { cart.count = 2 }
            }
            let second = cart.observe(\.count, options: .new) { _, change in log.add("second \(change.newValue!)") }
            let events = traced { cart.count = 1 }.of(cart)
            #expect(log.lines == ["first 1", "second 1", "first 2", "second 2"])
            #expect(
                events.lines == [
                    "change count 0→1", "change count › delivery count", "change count › delivery count",
                    "delivery count › change count 1→2", "change count › delivery count",
                    "change count › delivery count",
                ])
            let call = events[1]
            #expect(events[2].cause == events[0].number, "the second is called with the first change")
            #expect(events[3].cause == call.number)
            #expect(events[4].cause == events[3].number)
            withExtendedLifetime((first, second)) {}
        }

        @Test("19.1 Prior and initial calls are marked, and a call of the initial value comes from no change")
        func priorAndInitial() {
            let events = traced {
                let token = cart.observe(\.count, options: [.initial, .prior, .old, .new]) { _, _ in }
                cart.count = 1
                withExtendedLifetime(token) {}
            }.of(cart)
            #expect(
                events.lines == [
                    "registration count", "delivery count", "change count 0→1", "change count › delivery count",
                    "change count › delivery count", "end count",
                ])
            #expect(events.map(\.isPrior) == [false, false, false, true, false, false])
            #expect(events[1].cause == nil)
        }

        @Test("19.1 A change in place, by hand, and of elements is an event; elements are said")
        func waysToChange() {
            final class Manual: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                private var stored = 0
                var degrees: Int {
                    get {
                        accessValue(for: \.degrees)
                        return stored
                    }
                    set { changeValue(for: \.degrees) { stored = newValue } }
                }
                static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }
            }
            let manual = Manual()
            let tokens = [
                cart.observe(\.count, options: [.old, .new]) { _, _ in },
                cart.observe(\.tags, options: [.old, .new]) { _, _ in },
                manual.observe(\.degrees, options: [.old, .new]) { _, _ in },
            ]
            let events = traced {
                cart.count += 2
                cart.mutable(\.tags).append("x")
                manual.degrees = 7
            }.of(cart, manual).of(.change)
            #expect(
                events.lines == [
                    "change count 0→2", "change tags insertion at 0..<1 ·→[\"x\"]", "change degrees 0→7",
                ])
            #expect(events.allSatisfy { $0.cause == nil })
            withExtendedLifetime(tokens) {}
        }

        @Test("19.1 An optional value is what is in it")
        func optionals() {
            let tokens = [
                cart.observe(\.note, options: [.old, .new]) { _, _ in },
                cart.observe(\.rank, options: [.old, .new]) { _, _ in },
            ]
            let events = traced {
                cart.note = "x"
                cart.rank = 3
            }.of(cart).of(.change)
            #expect(events.lines == ["change note nil→x", "change rank nil→3"])
            withExtendedLifetime(tokens) {}
        }

        @Test("19.1 How elements change is said without values, too, and no description of theirs is called")
        func elementsWithoutValues() {
            final class Shelf: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                @Observed var items: [Silent] = []
            }
            let shelf = Shelf()
            let token = shelf.observe(\.items, options: [.old, .new]) { _, _ in }
            let (_, events) = KeyValueTrace.withTrace { shelf.mutable(\.items).append(Silent()) }
            let change = events.of(shelf).of(.change).first
            #expect(change?.elements == "insertion at 0..<1")
            #expect(change?.newValue == nil)
            withExtendedLifetime(token) {}
        }

        @Test("19.1 A path is evaluated because of the change on its way")
        func path() {
            let (first, second) = (Cart(), Cart())
            second.count = 5
            cart.next = first
            let token = cart.observe(\.next?.count, options: [.old, .new]) { _, _ in }
            let events = traced {
                cart.next = second
                second.count = 6
            }.of(cart, second)
            #expect(
                events.map { "\($0.kind) \($0.keyPath ?? "") of \($0.object?.identity == ObjectIdentifier(cart))" } == [
                    "change next of true", "evaluation next.count of true", "delivery next.count of true",
                    "change count of false", "delivery next.count of true",
                ])
            #expect(events[1].cause == events[0].number)
            #expect(events[2].cause == events[0].number)
            #expect(events[4].cause == events[3].number)
            withExtendedLifetime(token) {}
        }

        @Test("19.1 Each change of what a computed property reads is an event of its own")
        func repeated() {
            let token = cart.observe(\.total, options: .new) { _, _ in }
            cart.price = 1
            let events = traced {
                for count in 1...4 { cart.count = count }
            }.of(cart)
            let lines = ["change count", "change count › evaluation total ·→", "change count › delivery total"]
            #expect(events.lines == (1...4).flatMap { [lines[0], "\(lines[1])\($0)", lines[2]] })
            #expect(Set(events.compactMap(\.cause)).count == 4)
            withExtendedLifetime(token) {}
        }

        @Test("19.2 A registration that ignores a change is not called")
        func ignored() {
            let log = Log()
            let first = cart.observe(\.count) { _, _ in log.add("first") }
            let second = cart.observe(\.count) { _, _ in log.add("second") }
            let events = traced {
                first.ignoringChanges { cart.count = 1 }
                cart.count = 2
            }.of(cart).of(.delivery)
            #expect(log.lines == ["second", "first", "second"])
            #expect(events.count == 3)
            withExtendedLifetime((first, second)) {}
        }

        @Test("19.1 A getter that changes something is the cause of that")
        func changeInGetter() {
            final class Counting: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                @Observed var input = 0
                @Observed var reads = 0
                var output: Int {
                    defer { reads += 1 }
                    return input
                }
            }
            let counting = Counting()
            let tokens = [
                counting.observe(\.output) { _, _ in }, counting.observe(\.reads) { _, _ in },
            ]
            let events = traced { counting.input = 1 }.of(counting)
            #expect(events.lines.contains("evaluation <computed Int> › change reads"))
            withExtendedLifetime(tokens) {}
        }

        @Test("19.1 A transaction is an event: its changes are inside it, and the calls at its end come from them")
        func transaction() {
            let tokens = [
                cart.observe(\.count, options: [.old, .new]) { _, _ in },
                cart.observe(\.total, options: .new) { _, _ in },
            ]
            let events = traced {
                withKeyValueTransaction {
                    cart.count = 1
                    cart.count = 2
                    cart.price = 10
                }
            }
            let transaction = events.of(.transaction).first { transaction in
                events.of(cart).contains { $0.cause == transaction.number }
            }
            let lines = ([transaction].compactMap { $0 } + events.of(cart)).lines
            #expect(
                lines == [
                    "transaction ", "transaction  › change count 0→1", "transaction  › change count 1→2",
                    "transaction  › change price", "change count › evaluation total ·→20",
                    "change count › delivery count", "change count › delivery total",
                ])
            withExtendedLifetime(tokens) {}
        }

        @Test("19.1 A binding is an event inside the call, and what it sets is a change inside the binding")
        func binding() {
            let other = Cart()
            let log = other.observe(\.count) { _, _ in }
            let token = cart.bind(\.count, to: other, \.count)
            let events = traced { cart.count = 4 }.of(cart, other)
            #expect(
                events.lines == [
                    "change count ·→4", "change count › delivery count", "delivery count › binding count",
                    "binding count › change count 0→4", "change count › delivery count",
                ])
            #expect(events[2].fileID == "KeyValueObservingTraceTests/EventTests.swift")
            #expect(events[2].object?.identity == ObjectIdentifier(other))
            withExtendedLifetime((token, log)) {}
        }

        @Test("19.1 A binding both ways is one, too")
        func bindingBothWays() {
            let other = Cart()
            let token = cart.bindBothWays(\.count, to: other, \.price)
            let events = traced { other.price = 4 }.of(cart, other).of(.binding)
            #expect(events.map(\.keyPath) == ["count"])
            #expect(cart.count == 4)
            withExtendedLifetime(token) {}
        }

        @Test("19.1 A call that is left out because of .distinct is a skip")
        func distinct() {
            let token = cart.observe(\.count, options: [.old, .new, .distinct]) { _, _ in }
            let events = traced {
                cart.count = 0
                cart.count = 1
            }.of(cart)
            #expect(
                events.lines == [
                    "change count 0→0", "change count › skip count", "change count 0→1",
                    "change count › delivery count",
                ])
            withExtendedLifetime(token) {}
        }

        @Test("19.1 Who observes any property, or an expression, is called by events, too")
        func otherForms() {
            let events = traced {
                let tokens = [
                    cart.observeAnyProperty { _, _ in },
                    cart.observe(reading: { $0.count + 1 }) { _, _ in },
                ]
                cart.count = 2
                withExtendedLifetime(tokens) {}
            }.of(cart)
            #expect(events.of(.registration).count == 2)
            #expect(events.of(.delivery).count == 2)
            #expect(events.of(.end).count == 2)
            #expect(events.of(.evaluation).allSatisfy { $0.keyPath?.hasPrefix("the expression at") ?? false })
            #expect(events.of(.evaluation).count == 2)
        }

        @Test("19.1 A transaction inside a handler concerns no object of its own")
        func transactionInHandler() {
            let token = cart.observe(\.count) { _, _ in withKeyValueTransaction {} }
            let events = traced { cart.count = 1 }
            let call = events.of(cart).of(.delivery).first
            let transaction = events.of(.transaction).first { $0.cause == call?.number }
            #expect(transaction != nil && transaction?.object == nil && transaction?.keyPath == nil)
            withExtendedLifetime(token) {}
        }

        @Test("19.1 A registration from before the start is known from its first call on")
        func registeredBefore() {
            let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
            let events = traced {
                cart.count = 1
                token.invalidate()
            }.of(cart)
            #expect(events.lines == ["change count 0→1", "change count › delivery count", "end count"])
        }
    }
}

/// A value whose description must not be called.
private struct Silent: CustomStringConvertible {
    var description: String {
        Issue.record("described")
        return ""
    }
}
