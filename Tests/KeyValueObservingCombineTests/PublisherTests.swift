// Publishers of observed values.
#if canImport(Combine) || OpenCombine
import KeyValueObserving
import KeyValueObservingCombine
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Suite("Publishers")
struct PublisherTests {
    private let lamp = Lamp()

    @Test("A publisher gives the value at once and after each change, before the change returns")
    func values() {
        var seen: [Int] = []
        let subscription = lamp.publisher(for: \.level).sink { seen.append($0) }
        lamp.level = 1
        #expect(seen == [0, 1])
        lamp.level = 2
        #expect(seen == [0, 1, 2])
        subscription.cancel()
        lamp.level = 3
        #expect(seen == [0, 1, 2] && lamp.observationInfo.isEmpty)
    }

    @Test("Without .initial it begins with the first change; with .prior it gives the old value, too")
    func options() {
        var (new, prior): ([Int], [Int]) = ([], [])
        let subscriptions = [
            lamp.publisher(for: \.level, options: .new).sink { new.append($0) },
            lamp.publisher(for: \.level, options: .prior).sink { prior.append($0) },
        ]
        lamp.level = 5
        #expect(new == [5] && prior == [0, 5])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("It publishes paths, computed properties and whole collections")
    func kinds() {
        var (isOn, other, names): ([Bool], [Int?], [[String]]) = ([], [], [])
        let subscriptions = [
            lamp.publisher(for: \.isOn).sink { isOn.append($0) },
            lamp.publisher(for: \.other?.level).sink { other.append($0) },
            lamp.publisher(for: \.names).sink { names.append($0) },
        ]
        lamp.level = 1
        lamp.other = Lamp()
        lamp.other?.level = 7
        lamp.mutable(\.names).append("a")
        #expect(isOn == [false, true] && other == [nil, 0, 7] && names == [[], ["a"]])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A subscriber without demand gets the newest value when it asks")
    func demand() {
        let subscriber = Slow<Int>()
        lamp.publisher(for: \.level).subscribe(subscriber)
        lamp.level = 1
        lamp.level = 2
        #expect(subscriber.seen == [])
        subscriber.subscription?.request(.max(2))
        #expect(subscriber.seen == [2])
        lamp.level = 3
        lamp.level = 4
        #expect(subscriber.seen == [2, 3])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.seen == [2, 3, 4])
        subscriber.subscription?.cancel()
    }

    @Test("A subscriber that asks for one value after the other gets the one that has come while it had the last")
    func demandWhileReceiving() {
        let subscriber = Slow<Int>()
        subscriber.answer = .max(1)
        subscriber.whileReceiving = { [lamp] in if lamp.level < 3 { lamp.level += 1 } }
        lamp.publisher(for: \.level).subscribe(subscriber)
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.seen == [0, 1, 2, 3])
        lamp.level = 0
        #expect(subscriber.seen == [0, 1, 2, 3, 0, 1, 2, 3])
        subscriber.subscription?.cancel()
        subscriber.whileReceiving = nil
    }

    @Test("9.3 A value without demand is released without a lock, because its deinit may demand the next one")
    func valueThatWaits() {
        let subscriber = Slow<Lamp.Glow>()
        lamp.publisher(for: \.glow, options: .initial).subscribe(subscriber)
        lamp.whenDarkGlowEnds = { subscriber.subscription?.request(.max(1)) }
        lamp.level = 1
        #expect(subscriber.seen.map(\.level) == [1])
        lamp.whenDarkGlowEnds = nil
        subscriber.subscription?.cancel()
    }

    @Test("A subscription does not keep the object")
    func lifetime() {
        var lamp: Lamp? = Lamp()
        weak let weakLamp = lamp
        let subscription = lamp?.publisher(for: \.level).sink { _ in }
        lamp = nil
        #expect(weakLamp == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test("A registration is kept among cancellables, and ends with them or when it is canceled")
    func cancellable() {
        var seen: [String] = []
        var kept: Set<AnyCancellable> = []
        lamp.observe(\.level) { _, change in seen.append("kept \(change.newValue ?? 0)") }.store(in: &kept)
        let token = lamp.observe(\.level) { _, change in seen.append("held \(change.newValue ?? 0)") }
        lamp.level = 1
        token.cancel()
        lamp.level = 2
        kept = []
        lamp.level = 3
        #expect(seen == ["kept 1", "held 1", "kept 2"])
        #expect(token.isInvalidated && lamp.observationInfo.isEmpty)
    }

    @Test("A subscription that is canceled inside its subscriber gets nothing more")
    func canceledInside() {
        var seen: [Int] = []
        var subscription: AnyCancellable?
        subscription = lamp.publisher(for: \.level, options: .new).sink {
            seen.append($0)
            subscription?.cancel()
        }
        lamp.level = 1
        lamp.level = 2
        #expect(seen == [1] && lamp.observationInfo.isEmpty)
        let first = lamp.publisher(for: \.level).prefix(1).sink { seen.append($0) }
        lamp.level = 3
        #expect(seen == [1, 2] && lamp.observationInfo.isEmpty)
        withExtendedLifetime(first) {}
    }
}

private final class Lamp: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var other: Lamp?
    @Observed var names: [String] = []
    var isOn: Bool { level > 0 }
    var whenDarkGlowEnds: (() -> Void)?
    var glow: Glow { Glow(level, of: self) }

    /// Made anew with each reading.
    final class Glow {
        let level: Int
        private weak let lamp: Lamp?

        init(_ level: Int, of lamp: Lamp) {
            self.level = level
            self.lamp = lamp
        }

        deinit { if level == 0 { lamp?.whenDarkGlowEnds?() } }
    }
}

/// Asks for values when the test says so.
private final class Slow<Input>: Subscriber {
    typealias Failure = Never

    var seen: [Input] = []
    var subscription: (any Subscription)?
    /// How much it asks for when it gets a value.
    var answer = Subscribers.Demand.none
    /// What it does with a value.
    var whileReceiving: (() -> Void)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Input) -> Subscribers.Demand {
        seen.append(input)
        whileReceiving?()
        return answer
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}
#endif
