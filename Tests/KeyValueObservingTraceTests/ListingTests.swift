// What is called most, longest or never, and what depends on what, also as text and JSON: 19.1, 19.3, D19.
import Foundation
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Listings")
    struct ListingTests {
        private let kept = Kept()
        private let cart = Cart()

        @Test(
            "19.1 Calls are counted for each line that registers, and for each registration",
            .enabled(if: hasReflectionMetadata))
        func handlers() {
            KeyValueTrace.start()
            defer { KeyValueTrace.stop() }
            let line: UInt = #line + 1
            (0..<2).map { _ in cart.observe(\.count) { _, _ in } }.store(in: kept)
            let silent = cart.observe(\.price) { _, _ in }
            cart.observe(\.count, options: [.new, .distinct]) { _, _ in }.store(in: kept)
            for count in [1, 1, 2] { cart.count = count }
            let handler = KeyValueTrace.handlers.first { $0.line == line && $0.fileID.hasSuffix("ListingTests.swift") }
            #expect(handler.map { [$0.registrationCount, $0.activeCount, $0.callCount] } == [2, 2, 6])
            #expect(handler?.typeName == "Cart" && handler?.observer == nil)
            #expect(handler.map { Self.isConsistent($0.callCount, $0.totalDuration, $0.longestDuration) } == true)
            let left = KeyValueTrace.handlers.first { $0.skippedCount > 0 && $0.fileID.hasSuffix("ListingTests.swift") }
            #expect(left.map { [$0.callCount, $0.skippedCount] } == [2, 1])

            let own = KeyValueTrace.registrations.filter { $0.object?.identity == ObjectIdentifier(cart) }
            #expect(own.map(\.callCount) == [3, 3, 0, 2])
            #expect(own.allSatisfy { Self.isConsistent($0.callCount, $0.totalDuration, $0.longestDuration) })
            #expect(own.filter { $0.callCount == 0 }.map(\.keyPath) == ["price"])
            #expect(own.map(\.number) == own.map(\.number).sorted())
            let calls = KeyValueTrace.handlers.map(\.callCount)
            #expect(Set(calls).count > 2 && calls == calls.sorted(by: >), "those that are called most come first")
            silent.invalidate()
            let ended = KeyValueTrace.handlers.first {
                $0.line == line + 1 && $0.fileID.hasSuffix("ListingTests.swift")
            }
            #expect(ended.map { [$0.registrationCount, $0.activeCount] } == [1, 0])
        }

        /// Whether the longest of some calls is not above all together, and all together not above so many of the longest.
        private static func isConsistent(_ count: Int, _ total: Duration, _ longest: Duration) -> Bool {
            longest <= total && total <= longest * count && (longest > .zero) == (count > 0)
        }

        @Test(
            "19.1 What was registered before is listed once its object is met, and is among the handlers then",
            .enabled(if: hasReflectionMetadata))
        func earlier() async {
            await #expect(processExitsWith: .success) {
                let (cart, other) = (Cart(), Cart())
                var tokens = [
                    cart.observe(\.count) { _, _ in }, cart.observe(\.price) { _, _ in },
                    other.observe(\.count) { _, _ in },
                ]
                cart.count = 1
                let part = KeyValueTrace.beginPart()
                #expect(KeyValueTrace.earlier == 3)
                #expect(KeyValueTrace.listing().objects.isEmpty)
                func listed() -> [String] {
                    KeyValueTrace.listing().objects.flatMap(\.registrations).map {
                        "\($0.keyPath) \($0.deliveredCount) \($0.callCount)"
                    }
                }
                cart.count = 2
                #expect(listed() == ["count 2 1", "price 0 0"])
                #expect(KeyValueTrace.handlers.map(\.activeCount) == [1, 1])
                _ = KeyValueTrace.graph(of: other)
                #expect(listed().sorted() == ["count 0 0", "count 2 1", "price 0 0"])
                tokens.removeLast().invalidate()
                #expect(listed() == ["count 2 1", "price 0 0"])
                #expect(KeyValueTrace.handlers.map(\.activeCount) == [1, 1])
                part.end()
                let next = KeyValueTrace.beginPart()
                #expect(KeyValueTrace.earlier == 3, "nothing that the tracer registers counts")
                withExtendedLifetime((tokens, next)) {}
            }
        }

        @Test(
            "19.1 A label gives a handler its line, with the calls that it has had; several labels are none",
            .enabled(if: hasReflectionMetadata))
        func labels() async {
            await #expect(processExitsWith: .success) {
                final class Row: KeyValueObservable {
                    let keyValueRegistrar = KeyValueRegistrar()
                    @Observed var count = 0
                    var double: Int { count * 2 }
                }
                let row = Row()
                KeyValueTrace.start()
                let token = row.observe(\.double, options: [.initial, .new]) { _, _ in }
                token.label = "double"
                let others = (0..<2).map { _ in row.observe(\.count) { _, _ in } }
                for (index, other) in others.enumerated() { other.label = "\(index)" }
                row.count = 1
                let handlers = KeyValueTrace.handlers.map {
                    "\($0.keyPath) \($0.observer ?? "") \($0.registrationCount) \($0.activeCount) \($0.callCount)"
                }
                #expect(handlers.sorted() == ["count  2 2 2", "double “double” 1 1 2"])
            }
        }

        @Test("19.1 Figures are kept of 10,000 lines and of 10,000 evaluations, and no more")
        func bounds() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                KeyValueTrace.start(capacity: 100)
                let tokens = (1...10_010).map { line in
                    cart.observe(reading: { $0.count }, line: UInt(line)) { _, _ in }
                }
                #expect(KeyValueTrace.handlers.count == 10_000)
                #expect(KeyValueTrace.evaluations.count == 10_000)
                cart.count = 1
                #expect(KeyValueTrace.handlers.allSatisfy { $0.callCount == 1 })
                #expect(KeyValueTrace.evaluations.allSatisfy { $0.count == 2 })
                let times = KeyValueTrace.evaluations.map(\.totalDuration)
                #expect(times == times.sorted(by: >), "those that take longest come first")
                for token in tokens { token.invalidate() }
                #expect(KeyValueTrace.handlers.allSatisfy { $0.activeCount == 0 })
            }
        }

        @Test("19.1 A call is counted whose event the ring has dropped before the handler returns")
        func droppedDuringTheCall() {
            KeyValueTrace.start(capacity: 2)
            defer { KeyValueTrace.stop() }
            [
                cart.observe(\.count) { cart, _ in for price in 1...10 { cart.price = price } },
                cart.observe(\.price) { _, _ in },
            ].store(in: kept)
            cart.count = 1
            let own = KeyValueTrace.registrations.filter { $0.object?.identity == ObjectIdentifier(cart) }
            #expect(own.sorted { $0.callCount < $1.callCount }.map(\.callCount) == [1, 10])
        }

        @Test("19.1 Evaluations are counted, and those without another result, where values are text")
        func evaluations() {
            final class Scale: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                @Observed var weight = 0
                var isHeavy: Bool {
                    accessValue(for: \.isHeavy)
                    return weight > 10
                }
            }
            let scale = Scale()
            KeyValueTrace.start(valueLength: 10)
            defer { KeyValueTrace.stop() }
            scale.observe(\.isHeavy) { _, _ in }.store(in: kept)
            for weight in [1, 2, 20, 30] { scale.weight = weight }
            let evaluation = KeyValueTrace.evaluations.first { $0.typeName == "Scale" }
            #expect(evaluation?.keyPath == "isHeavy")
            #expect(evaluation.map { [$0.count, $0.unchangedCount] } == [5, 3])
            #expect(evaluation.map { Self.isConsistent($0.count, $0.totalDuration, $0.longestDuration) } == true)
        }

        @Test("19.1 Objects that are gone are forgotten by and by, whether they were registered on or called before")
        func forgotten() async {
            await #expect(processExitsWith: .success) {
                /// Keeps the memory of an object that is gone, so that no other one gets it.
                struct Place { unowned let cart: Cart }
                var places: [Place] = []
                var old = (0..<500).map { _ in Cart() }
                let tokens = old.map { $0.observe(\.count) { _, _ in } }
                KeyValueTrace.start()
                while let cart = old.popLast() {
                    places.append(Place(cart: cart))
                    cart.count = 1
                }
                #expect(KeyValueTrace.listing(atMost: 0).rememberedCount < 100)
                for _ in 0..<500 {
                    let cart = Cart()
                    places.append(Place(cart: cart))
                    cart.observe(\.count) { _, _ in }.invalidate()
                }
                #expect(KeyValueTrace.listing(atMost: 0).rememberedCount < 100)
                #expect(KeyValueTrace.listing().objects.isEmpty)
                withExtendedLifetime((tokens, places)) {}
            }
        }

        @Test(
            "19.1 The last value of a property is known, whatever changed it, if an observer asked for it",
            .enabled(if: hasReflectionMetadata),
            .enabled(if: RuntimeAssumption.keyPathComponents.holds))
        func lastValues() {
            KeyValueTrace.start(valueLength: 20)
            defer { KeyValueTrace.stop() }
            let all: [PartialKeyPath<Cart>] = [\.count, \.price, \.tags, \.rank, \.total]
            [
                cart.observe(keyPaths: all) { _, _ in }, cart.observe(\.next?.unread) { _, _ in },
                cart.observe(\.next?.tags) { _, _ in },
            ].store(in: kept)
            func values() -> [String] {
                let listed = KeyValueTrace.listing().objects.first {
                    $0.object.identity == ObjectIdentifier(cart)
                }
                #expect(listed?.values.allSatisfy { $0.outdatedSince == nil } == true)
                return listed?.values.map { "\($0.keyPath) \($0.text)" } ?? []
            }
            // A path has its name although nothing leads to its end.
            #expect(values() == ["next.tags nil", "next.unread nil", "total 0"])
            cart.count = 2
            cart.price += 3
            cart.tags = ["a"]
            cart.mutable(\.tags).append("b")
            cart.willChangeValue(for: \.rank)
            cart.rank = 5
            cart.didChangeValue(for: \.rank)
            #expect(
                values() == [
                    "count 2", "next.tags nil", "next.unread nil", "price 3", "rank 5", "total 6",
                ], "elements that came are not the whole")
            withKeyValueTransaction {
                cart.count = 4
                cart.tags.removeAll()
            }
            #expect(
                values() == [
                    "count 4", "next.tags nil", "next.unread nil", "price 3", "rank 5", "tags []", "total 12",
                ])
            let next = Cart()
            cart.next = next
            next.unread = 3
            next.mutable(\.tags).append("c")
            #expect(values().filter { $0.hasPrefix("next.") } == [#"next.tags ["c"]"#, "next.unread 3"])
            let names = KeyValueTrace.registrations.filter { $0.object?.identity == ObjectIdentifier(cart) }.map(
                \.keyPath)
            #expect(names.suffix(2) == ["next.unread", "next.tags"])
            #expect(KeyValueTrace.handlers.contains { $0.keyPath == "next.unread" && $0.callCount == 2 })
        }

        // The limit is the process's, so this has one of its own.
        @Test(
            "19.1 Of what is left out, the last values and how often was evaluated are known; a path has one name",
            .enabled(if: hasReflectionMetadata),
            .enabled(if: RuntimeAssumption.keyPathComponents.holds))
        func leftOut() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let part = KeyValueTrace.beginPart(valueLength: 20, eventLimit: 1)
                [
                    cart.observe(\.next?.note, options: [.initial, .old, .new]) { _, _ in },
                    cart.observe(\.total) { _, _ in }, cart.observe(\.count) { _, _ in },
                    cart.observe(\.next) { _, _ in },
                ].store(in: .process)
                func values() -> [String] {
                    let listed = KeyValueTrace.listing().objects.first { $0.object.identity == ObjectIdentifier(cart) }
                    return listed?.values.map { "\($0.keyPath) \($0.text)\($0.outdatedSince == nil ? "" : "?")" } ?? []
                }
                cart.price = 2
                let count = KeyValueTrace.unrecordedCount
                for value in 1...100 { cart.count = value }
                let next = Cart()
                cart.next = next
                next.note = "first"
                next.note = "last"
                #expect(KeyValueTrace.unrecordedCount > count + 100)
                #expect(values() == ["count 100", "next Cart 2", "next.note last", "total 200"])
                cart.next = nil
                #expect(values() == ["count 100", "next nil", "next.note nil", "total 200"])
                let evaluation = KeyValueTrace.evaluations.first { $0.keyPath == "total" }
                #expect(evaluation?.count == 102 && evaluation.map { $0.recordedCount < 10 } == true)
                let calls = cart.observationInfo.reduce(0) { $0 + $1.deliveredCount }
                #expect(KeyValueTrace.handlers.reduce(0) { $0 + $1.callCount } == calls)
                part.end()
            }
        }

        @Test("19.1 An object without a description is called by its class and number, several by how many they are")
        func objectTexts() async {
            await #expect(processExitsWith: .success) {
                final class Box: KeyValueObservable {
                    let keyValueRegistrar = KeyValueRegistrar()
                    @Observed var cart: Cart?
                    @Observed var carts: [Cart] = []
                }
                let (box, known) = (Box(), Cart())
                KeyValueTrace.start(valueLength: 40)
                let tokens = [
                    box.observe(\.cart, options: .new) { _, _ in }, box.observe(\.carts, options: .new) { _, _ in },
                    known.observe(\.count) { _, _ in },
                ]
                for cart in [known, Cart(), nil] { box.cart = cart }
                for count in [2, 0] { box.carts = (0..<count).map { _ in Cart() } }
                let texts = KeyValueTrace.events.filter { $0.kind == .change }.map { $0.newValue ?? "" }
                #expect(texts == ["Cart 1", "Cart", "nil", "2 × Cart", "[]"])
                withExtendedLifetime(tokens) {}
            }
        }

        @Test(
            "19.1 The objects that live are listed with what they depend on, and no more than were asked for",
            .enabled(if: hasReflectionMetadata))
        func observedObjects() async {
            // Other suites may register objects at the same time.
            await #expect(processExitsWith: .success) {
                KeyValueTrace.start()
                let (cart, other) = (Cart(), Cart())
                [cart.observe(\.total) { _, _ in }, other.observe(\.count) { _, _ in }].store(in: .process)
                let all = KeyValueTrace.listing()
                let ours = all.objects.filter { $0.object.typeName.hasSuffix("Cart") }
                #expect(ours.count == 2 && all.matchCount == all.objects.count)
                let object = ours.first { $0.object.identity == ObjectIdentifier(cart) }
                #expect(object?.dependents.first?.dependencies.map(\.keyPath) == ["count", "price"])
                for limit in 0...1 {
                    let some = KeyValueTrace.listing(atMost: limit)
                    #expect(some.objects.count == limit && some.matchCount == all.matchCount)
                }
                withExtendedLifetime(other) {}
            }
        }

        @Test(
            "19.3 What a computed property, a path and an expression read last is known, traced or not",
            .enabled(if: hasReflectionMetadata),
            .enabled(if: RuntimeAssumption.keyPathComponents.holds))
        func dependencies() {
            let next = Cart()
            cart.next = next
            #expect(KeyValueTrace.dependencies(of: cart, \.total) == nil)
            #expect(KeyValueTrace.graph(of: cart).dependents.isEmpty)
            let line: UInt = #line + 4
            [
                cart.observe(\.total) { _, _ in },
                cart.observe(\.next?.tags) { _, _ in },
                cart.observe(reading: { $0.price + $0.count }) { _, _ in },
                cart.observe(\.count) { _, _ in },
            ].store(in: kept)
            #expect(KeyValueTrace.dependencies(of: cart, \.total)?.map(\.keyPath) == ["count", "price"])
            let path = KeyValueTrace.dependencies(of: cart, \.next?.tags)
            #expect(path?.map(\.keyPath) == ["next", "tags"])
            #expect(path?.map(\.object?.identity) == [ObjectIdentifier(cart), ObjectIdentifier(next)])
            #expect(path?.map(\.object?.typeName) == ["Cart", "Cart"])
            #expect(KeyValueTrace.dependencies(of: cart, \.count)?.map(\.keyPath) == ["count"])
            #expect(KeyValueTrace.dependencies(of: cart, \.price) == nil)
            let all = KeyValueTrace.graph(of: cart).dependents
            #expect(Set(all.map(\.name)).isSuperset(of: ["total", "next.tags"]))
            let expression = all.first { $0.name.hasPrefix("the expression at") }
            #expect(expression.map { $0.name.hasSuffix("ListingTests.swift:\(line)") } ?? false)
            #expect(expression?.dependencies.map(\.keyPath) == ["price", "count"])
            cart.next = nil
            #expect(KeyValueTrace.dependencies(of: cart, \.next?.tags)?.map(\.keyPath) == ["next"])
        }

        @Test(
            "D19 The graph of an object says what depends on what, as text and for Graphviz",
            .enabled(if: hasReflectionMetadata))
        func graph() {
            #expect(KeyValueTrace.graph(of: cart).description.isEmpty)
            cart.observe(\.total) { _, _ in }.store(in: kept)
            let graph = KeyValueTrace.graph(of: cart)
            #expect("\(graph)" == "total of Cart depends on count of Cart, price of Cart")
            #expect(
                graph.dot == """
                    digraph {
                        rankdir=LR
                        "count of Cart" -> "total of Cart"
                        "price of Cart" -> "total of Cart"
                    }
                    """)
        }

        @Test("19.1 An event is a line of JSON, without what is not known", .enabled(if: hasReflectionMetadata))
        func json() throws {
            cart.observe(\.count, options: [.old, .new]) { _, _ in }.store(in: kept)
            let (_, events) = KeyValueTrace.withTrace(valueLength: 10) { cart.count = 5 }
            let change = try #require(events.of(cart).first { $0.kind == .change })
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(change)) as? [String: Any]
            let line = try #require(object)
            #expect(line["kind"] as? String == "change" && line["keyPath"] as? String == "count")
            #expect(line["oldValue"] as? String == "0" && line["newValue"] as? String == "5")
            #expect(line["type"] as? String == "Cart" && line["time"] is Double && line["duration"] is Double)
            #expect(line["cause"] == nil && line["isPrior"] == nil && line["place"] == nil)
        }
    }
}
