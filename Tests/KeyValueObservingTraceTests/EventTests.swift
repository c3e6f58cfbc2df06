// Which events there are, what they come from, and when they end: 19.1, 19.2.
import KeyValueObserving
import KeyValueObservingHistory
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

/// What is done with two carts, and the events of that.
private struct EventRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let lines: [String]
    /// Registers, and keeps that; what it returns is traced.
    let body: @Sendable (Cart, Cart, Kept) -> () -> Void

    init(_ name: String, _ lines: [String], _ body: @escaping @Sendable (Cart, Cart, Kept) -> () -> Void) {
        (testDescription, self.lines, self.body) = (name, lines, body)
    }
}

extension TraceTests {
    @Suite("19.1 Events")
    struct EventTests {
        private let kept = Kept()
        private let cart = Cart()
        private static let both: KeyValueObservingOptions = [.old, .new]

        private static let rows: [EventRow] = [
            EventRow("a change that nobody observes", []) { cart, _, _ in { cart.count = 3 } },
            EventRow(
                "several observers, of what is computed too",
                [
                    "change count 0→1", "change count › evaluation total ·→0", "change count › delivery count",
                    "change count › delivery count", "change count › delivery total",
                ]
            ) { cart, _, kept in
                cart.observe(\.count, options: both) { _, _ in }.store(in: kept)
                cart.observe(\.count) { _, _ in }.store(in: kept)
                cart.observe(\.total) { _, _ in }.store(in: kept)
                return { cart.count = 1 }
            },
            EventRow(
                "a change inside a handler",
                [
                    "change count 0→1", "change count › delivery count", "change count › delivery count",
                    "delivery count › change count 1→2", "change count › delivery count",
                    "change count › delivery count",
                ]
            ) { cart, _, kept in
                cart.observe(\.count, options: both) { cart, change in
                    if change.newValue == 1 { cart.count = 2 }
                }.store(in: kept)
                cart.observe(\.count, options: .new) { _, _ in }.store(in: kept)
                return { cart.count = 1 }
            },
            EventRow(
                "changes in place, of elements and of optionals",
                [
                    "change count 0→2", "change count › delivery count", #"change tags insertion at 0 ·→["x"]"#,
                    "change tags › delivery tags", "change note nil→x", "change note › delivery note",
                    "change rank nil→3", "change rank › delivery rank",
                ]
            ) { cart, _, kept in
                cart.observe(keyPaths: [\.count, \.tags, \.note, \.rank], options: both) { _, _ in }.store(in: kept)
                return {
                    cart.count += 2
                    cart.mutable(\.tags).append("x")
                    cart.note = "x"
                    cart.rank = 3
                }
            },
            EventRow(
                "a binding",
                [
                    "change count 0→4", "change count › delivery count", "delivery count › binding count",
                    "binding count › change count 0→4", "change count › delivery count",
                ]
            ) { cart, other, kept in
                other.observe(\.count) { _, _ in }.store(in: kept)
                cart.bind(\.count, to: other, \.count).store(in: kept)
                return { cart.count = 4 }
            },
            EventRow(
                "what .distinct leaves out",
                ["change count 0→0", "change count › skip count", "change count 0→1", "change count › delivery count"]
            ) { cart, _, kept in
                cart.observe(\.count, options: [.old, .new, .distinct]) { _, _ in }.store(in: kept)
                return { for count in 0...1 { cart.count = count } }
            },
            EventRow("what is ignored", ["change count 0→1"]) { cart, _, _ in
                let token = cart.observe(\.count) { _, _ in }
                return { token.ignoringChanges { cart.count = 1 } }
            },
            EventRow(
                "a registration from before the start",
                ["change count 0→1", "change count › delivery count", "end count"]
            ) { cart, _, _ in
                let token = cart.observe(\.count, options: both) { _, _ in }
                return {
                    cart.count = 1
                    token.invalidate()
                }
            },
        ]

        private static let rowOfPath = EventRow(
            "a path whose middle is replaced",
            [
                "change next", "change next › evaluation next.count ·→5", "change next › delivery next.count",
                "change count 5→6", "change count › delivery next.count",
            ]
        ) { cart, other, kept in
            other.count = 5
            cart.observe(\.next?.count, options: both) { _, _ in }.store(in: kept)
            return {
                cart.next = other
                other.count = 6
            }
        }

        @Test(
            "19.1 19.2 Each event comes from what caused it, and all have ended", .enabled(if: hasReflectionMetadata),
            arguments: RuntimeAssumption.keyPathComponents.holds ? rows + [rowOfPath] : rows)
        private func row(_ row: EventRow) {
            let other = Cart()
            let events = traced(row.body(cart, other, kept)).of(cart, other)
            #expect(events.lines == row.lines)
            #expect(events.allSatisfy { $0.duration != nil })
        }

        @Test(
            "19.1 A registration, its calls, prior and initial ones marked, and its end have its number and line",
            .enabled(if: hasReflectionMetadata))
        func registration() {
            let line: UInt = #line + 2
            let events = traced {
                let token = cart.observe(\.count, options: [.initial, .prior, .old, .new]) { _, _ in }
                cart.count = 1
                token.invalidate()
            }.of(cart)
            #expect(
                events.lines == [
                    "registration count", "delivery count", "change count 0→1", "change count › delivery count",
                    "change count › delivery count", "end count",
                ])
            #expect(events.map(\.isPrior) == [false, false, false, true, false, false])
            #expect(events[1].cause == nil && events[2].line == nil)
            for index in [0, 1, 3, 4, 5] {
                #expect(events[index].line == line && events[index].registration == events[0].registration)
                #expect(events[index].fileID == "KeyValueObservingTraceTests/EventTests.swift")
            }
            #expect(events.allSatisfy { $0.object?.typeName == "Cart" })
        }

        @Test(
            "19.1 A transaction is an event: its changes are inside it, and the calls at its end come from them",
            .enabled(if: hasReflectionMetadata))
        func transaction() {
            let log = Log()
            [
                cart.observe(\.count, options: [.old, .new]) { cart, _ in
                    // Its changes have ended when they were noted.
                    log.add("\(KeyValueTrace.events.of(cart).of(.change).map { $0.duration != nil })")
                    withKeyValueTransaction {}
                },
                cart.observe(\.total, options: .new) { _, _ in },
            ].store(in: kept)
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
            #expect(log.take() == ["[true, true, true]"])
            let call = events.of(cart).of(.delivery).first
            let inner = events.of(.transaction).first { $0.cause == call?.number }
            #expect(inner != nil && inner?.object == nil && inner?.keyPath == nil)
        }

        @Test(
            "19.1 What is under way has no duration yet: a change until all have been called",
            .enabled(if: hasReflectionMetadata))
        func underWay() {
            let log = Log()
            cart.observe(\.count, options: .prior) { cart, _ in
                log.add(
                    KeyValueTrace.events.of(cart).map { "\($0.kind) \($0.duration == nil)" }.joined(separator: ", "))
            }.store(in: kept)
            let events = traced { cart.count = 1 }.of(cart)
            #expect(log.lines == ["change true, delivery true", "change true, delivery false, delivery true"])
            #expect(events.allSatisfy { $0.duration != nil })
        }

        @Test(
            "19.1 Observers of an expression are called by events; a getter causes its change",
            .enabled(if: hasReflectionMetadata),
            .enabled(if: RuntimeAssumption.keyPathComponents.holds))
        func otherForms() {
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
            let events = traced {
                let tokens = [
                    cart.observe(reading: { $0.count + 1 }) { _, _ in },
                    counting.observe(\.output, fileID: "Shop/Counting.swift", line: 7) { _, _ in },
                    counting.observe(\.reads, options: .new) { _, _ in },
                ]
                cart.count = 2
                counting.input = 1
                withExtendedLifetime(tokens) {}
            }
            for kind: KeyValueTrace.Kind in [.registration, .delivery, .end, .evaluation] {
                #expect(events.of(cart).of(kind).count == (kind == .evaluation ? 2 : 1))
            }
            #expect(events.of(cart).of(.evaluation).allSatisfy { $0.keyPath?.hasPrefix("the expression at") ?? false })
            let evaluation = "evaluation computed Int at Counting.swift:7"
            #expect(events.of(counting).lines.contains("\(evaluation) › change reads ·→3"))
            #expect(events.of(counting).lines.contains("\(evaluation) ·→0"))
        }

        @Test(
            "19 No property is read to trace it: an event has the values that an observer asked for",
            .enabled(if: hasReflectionMetadata))
        func valuesAskedFor() {
            let dial = Dial()
            [
                dial.observe(\.level, options: []) { _, _ in }, dial.observe(\.items, options: []) { _, _ in },
                dial.observe(\.other, options: .new) { _, _ in }, dial.observe(\.doubled, options: []) { _, _ in },
            ].store(in: kept)
            func change() -> Int {
                let before = dial.reads
                dial.changeValue(for: \.level) { dial.stored = 1 }
                dial.changeValue(for: \.other) { dial.stored = 2 }
                dial.mutable(\.items).append(1)
                dial.input += 1
                return dial.reads - before
            }
            let untraced = change()
            var reads = 0
            let events = traced { reads = change() }.of(dial).of(.change)
            #expect(reads == untraced)
            let lines = ["change level", "change other ·→2", "change items insertion at 1 ·→[1]", "change input"]
            #expect(events.lines == lines, "a view is given the elements that come")
        }

        @Test("19.1 How elements change is said without values, too, and no description of theirs is called")
        func elementsWithoutValues() {
            final class Shelf: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                @Observed var items: [Silent] = []
            }
            let shelf = Shelf()
            shelf.observe(\.items, options: [.old, .new]) { _, _ in }.store(in: kept)
            let (_, events) = KeyValueTrace.withTrace { shelf.mutable(\.items).append(Silent()) }
            let change = events.of(shelf).of(.change).first
            #expect(change?.elements == "insertion at 0" && change?.newValue == nil)
            let (_, more) = KeyValueTrace.withTrace { shelf.mutable(\.items).append(contentsOf: [Silent(), Silent()]) }
            #expect(more.of(shelf).of(.change).first?.elements == "insertion at 1–2")
        }

        @Test(
            "19.1 A call because of a change that was noted before tracing began is no event",
            .enabled(if: hasReflectionMetadata))
        func beginningInATransaction() {
            let log = Log()
            cart.observe(\.count, options: [.old, .new]) { log.add($1) }.store(in: kept)
            var part: KeyValueTrace.Part?
            withKeyValueTransaction {
                cart.count = 1
                part = KeyValueTrace.beginPart()
            }
            cart.count = 2
            part?.end()
            #expect(log.lines == ["0→1", "1→2"])
            #expect(KeyValueTrace.events.of(cart).lines == ["change count", "change count › delivery count"])
        }

        @Test("18.1 10.2 19.2 Steps of undo are what they are without a trace")
        func steps() throws {
            let manager = KeyValueUndoManager()
            manager.track(cart, \.count, coalescing: .seconds(3_600))
            manager.track(cart, \.price)
            cart.observe(\.price) { cart, _ in cart.tags.append("a") }.store(in: kept)
            _ = try KeyValueTrace.withTrace {
                withKeyValueTransaction {
                    cart.count = 1
                    cart.price = 2
                }
                for count in 2...3 { cart.count = count }
                try manager.undo()
                #expect(cart.count == 1)
                try manager.undo()
            }
            #expect(cart.count == 0 && cart.price == 0 && !manager.canUndo)
        }

        // MARK: Ends

        @Test(
            "19.1 The end of a registration from before the start that was never called is an event",
            .enabled(if: hasReflectionMetadata))
        func endOfUnknown() {
            let line: UInt = #line + 1
            let token = cart.observe(\.count) { _, _ in }
            #expect(traced { token.invalidate() }.ends(at: line).map(\.keyPath) == ["count"])
        }

        @Test("19.1 So is the end of each registration on an object that dies, of what is computed, too")
        func endWithObject() {
            let line: UInt = #line + 2
            var cart: Cart? = Cart()
            let tokens = cart.map { [$0.observe(\.count) { _, _ in }, $0.observe(\.total) { _, _ in }] }
            #expect(traced { cart = nil }.ends(at: line).count == 2)
            withExtendedLifetime(tokens) {}
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

/// Counts how often its getters are called.
private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var input = 0
    @Observed var items: [Int] = []
    var stored = 0
    private(set) var reads = 0
    var level: Int {
        accessValue(for: \.level)
        reads += 1
        return stored
    }
    var other: Int {
        accessValue(for: \.other)
        reads += 1
        return stored
    }
    var doubled: Int {
        reads += 1
        return input * 2
    }
}

/// Only objects that are gone when their events are looked at; other suites may run at the same time.
private final class Trolley: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var price = 0

    var sum: Int { count + price }
}

extension [KeyValueTrace.Event] {
    fileprivate var ofTrolleys: Self { filter { $0.object?.typeName == "Trolley" } }

    /// Those of the ends of registrations that were made at a line of this file.
    fileprivate func ends(at line: UInt) -> Self {
        of(.end).filter { $0.line == line && $0.fileID?.hasSuffix("/EventTests.swift") == true }
    }
}
