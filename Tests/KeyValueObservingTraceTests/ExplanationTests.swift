// Explanations: 19.3.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.3 Explanations")
    struct ExplanationTests {
        private let kept = Kept()
        private let cart = Cart()
        private let file = "KeyValueObservingTraceTests/ExplanationTests.swift"

        /// The explanation of the last call of a handler for a key path.
        private func explanation(of keyPath: String, in events: [KeyValueTrace.Event]) -> [String] {
            guard let call = events.last(where: { $0.kind == .delivery && $0.keyPath == keyPath }) else { return [] }
            return KeyValueTrace.explain(call, in: events).split(separator: "\n").map(String.init)
        }

        @Test(
            "19.3 The chain leads through a computed property, a binding and a handler to the set that began it",
            .enabled(if: hasReflectionMetadata))
        func chain() {
            let (shown, source) = (Cart(), Cart())
            let handler: UInt = #line + 1
            source.observe(\.count, options: [.old, .new]) { [cart] in cart.price = $1.newValue! }.store(in: kept)
            let binding: UInt = #line + 1
            cart.bind(\.total, to: shown, \.count).store(in: kept)
            let last: UInt = #line + 1
            shown.observe(\.count, options: [.old, .new]) { _, _ in }.store(in: kept)
            cart.count = 3
            let events = traced { source.count = 7 }.of(cart, shown, source)
            let call = events.last { $0.kind == .delivery && $0.object?.identity == ObjectIdentifier(shown) }
            #expect(
                call.map { KeyValueTrace.explain($0, in: events) }?.split(separator: "\n").map(String.init).dropLast()
                    == [
                        "The handler registered at \(file):\(last) for count of Cart was called because count of Cart changed from 0 to 21.",
                        "count of Cart was set from 0 to 21 by the binding made at \(file):\(binding).",
                        "The binding made at \(file):\(binding) set count of Cart in the handler registered at \(file):\(binding) for total of Cart.",
                        "The handler registered at \(file):\(binding) for total of Cart was called because price of Cart, which total of Cart depends on, changed.",
                        "price of Cart was set in the handler registered at \(file):\(handler) for count of Cart.",
                        "The handler registered at \(file):\(handler) for count of Cart was called because count of Cart changed from 0 to 7.",
                    ])
        }

        @Test(
            "19.3 19.1 Each event has a sentence, and one line of text; what is not kept is said to be so",
            .enabled(if: hasReflectionMetadata))
        func sentences() {
            let line: UInt = #line + 2
            let events = traced {
                let token = cart.observe(\.count, options: [.initial, .prior, .old, .new]) { _, _ in }
                cart.count = 2
                token.invalidate()
            }.of(cart)
            let (place, thread) = ("\(file):\(line)", events[0].thread)
            let called = "The handler registered at \(place) for count of Cart was called"
            func sentence(_ index: Int, in events: [KeyValueTrace.Event]) -> String {
                KeyValueTrace.explain(events[index], in: events).split(separator: "\n").first.map(String.init) ?? ""
            }
            #expect(sentence(0, in: events).hasPrefix("count of Cart was observed at \(place)"))
            #expect(sentence(1, in: events) == "\(called) with the initial value.")
            #expect(
                sentence(2, in: events)
                    == "count of Cart was set from 0 to 2 on thread \(thread), outside of any handler.")
            #expect(sentence(3, in: events).hasPrefix("\(called) because count of Cart is about to change"))
            #expect(sentence(4, in: events) == "\(called) because count of Cart changed from 0 to 2.")
            #expect(sentence(5, in: events).hasPrefix("The observation of count of Cart, made at \(place)"))
            #expect(sentence(0, in: [events[4]]) == "\(called) because of a change that is not kept any more.")
            let (change, call) = (events[2], events[4])
            #expect("\(change)" == "#\(change.number) change count of Cart 0 → 2")
            #expect("\(call)" == "#\(call.number) delivery count of Cart at \(place), because of #\(change.number)")
            #expect("\(events[3])".contains(" delivery count of Cart before the change at "))
        }

        @Test(
            "19.3 A path is explained by what was replaced on its way, and elements by what happened to them",
            .enabled(if: hasReflectionMetadata),
            .enabled(if: RuntimeAssumption.keyPathComponents.holds))
        func pathAndElements() {
            cart.observe(\.next?.tags, options: []) { _, _ in }.store(in: kept)
            let other = Cart()
            let replaced = traced { cart.next = other }.of(cart)
            #expect(
                explanation(of: "next.tags", in: replaced).first?
                    .contains("because next of Cart, which next.tags of Cart depends on, changed.") ?? false)
            let inserted = traced { other.mutable(\.tags).append("x") }.of(cart, other)
            #expect(
                explanation(of: "next.tags", in: inserted).last?.hasPrefix("tags of Cart changed by insertion at 0 on")
                    ?? false)
        }

        @Test(
            "19.3 What a transaction delivers is explained by the change, the transaction and what ran that",
            .enabled(if: hasReflectionMetadata))
        func transaction() {
            let source = Cart()
            [
                cart.observe(\.count, options: [.old, .new]) { _, _ in },
                source.observe(\.count) { [cart] _, _ in
                    withKeyValueTransaction {
                        cart.price = 1
                        cart.count = 2
                    }
                },
            ].store(in: kept)
            let all = traced { source.count = 1 }
            let call = all.of(cart).last { $0.kind == .delivery }
            let sentences = call.map { KeyValueTrace.explain($0, in: all) }?.split(separator: "\n") ?? []
            #expect(sentences.count == 5)
            #expect(sentences[1].contains("count of Cart was set from 0 to 2 in a transaction."))
            #expect(sentences[2].contains("The transaction was run in the handler registered at \(file)"))
            #expect(sentences[4].hasSuffix("outside of any handler."))
        }
    }
}
