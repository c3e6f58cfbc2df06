// Handlers are never called outside the actor that they belong to: 9.6.
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("9.6 C20 Isolation")
struct IsolationTests {
    /// The ways to register a handler that belongs to the main actor.
    enum Form: CaseIterable, Codable {
        case token, tokenSkippingEqual, function, byName
        case controller, controllerSkippingEqual, controllerByName, several
        case action, actionWithChange, actionWithObject, callback
        case computed, path
    }

    @Test("9.6 A handler of the main actor is called there, where the object is Sendable too", arguments: Form.allCases)
    @MainActor
    func onTheMainActor(form: Form) throws {
        let screen = GaugeScreen()
        try screen.observe(form)
        screen.gauge.level = 1
        #expect(screen.changes == 1)
        screen.stop()
    }

    @Test(
        "9.6 A change elsewhere traps before it is called, and the message helps", .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.executors.holds), arguments: Form.allCases)
    func elsewhere(form: Form) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [form] in
            let gauge = SharedGauge()
            let screen = try await MainActor.run {
                let screen = GaugeScreen(gauge)
                try screen.observe(form)
                return screen
            }
            await Task.detached { gauge.level = 1 }.value
            withExtendedLifetime(screen) {}
        }
        let name = form == .path ? "next.level" : "level"
        #expect(
            words(form == .computed ? "SharedGauge" : name, "deliverOnMainActor", missingIn: message(of: result)) == [])
        if form != .callback {
            #expect(
                words("MainActor", "IsolationFixtures.swift:", "SharedGauge", missingIn: message(of: result))
                    == [])
        }
    }

    @Test("9.6 The main actor's handler is called from the main queue, too")
    func withoutATask() async {
        await #expect(processExitsWith: .success) {
            let gauge = SharedGauge()
            let calls = CallCount()
            let token = await MainActor.run { gauge.observe(\.level) { _, _ in calls.count += 1 } }
            await withCheckedContinuation { continuation in
                onTheMainQueue {
                    gauge.level = 1
                    continuation.resume()
                }
            }
            #expect(calls.count == 1)
            withExtendedLifetime(token) {}
        }
    }

    @Test("9.6 A handler that uses its actor is called in it; those of one line and different actors are distinguished")
    func inAnActor() async {
        let gauge = SharedGauge()
        let (first, second) = (GaugeActor(gauge), GaugeActor(gauge))
        for reader in [first, second] {
            await reader.observeUsingSelf()
            await reader.change()
            await reader.stop()
        }
        #expect(await [first.changes, second.changes] == [1, 1])
    }

    @Test(
        "9.6 A handler that uses its actor traps outside it, and the message helps",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.executors.holds), arguments: [false, true])
    func outsideAnActor(isOnAnotherActor: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [isOnAnotherActor] in
            let reader = GaugeActor()
            await reader.observeUsingSelf()
            if isOnAnotherActor { await GaugeActor(reader.gauge).change() } else { reader.gauge.level = 1 }
        }
        #expect(
            words("level", "SharedGauge", "GaugeActor", "deliver(to:)", "@Sendable", missingIn: message(of: result))
                == []
        )
        // The trap is at the line that registered it.
        #expect(message(of: result).contains(/IsolationFixtures.swift:\d+: Fatal error/))
    }

    @Test("9.6 A handler that holds its actor weakly, and a Sendable one made on the main actor, belong nowhere")
    func nowhere() async {
        let (reader, calls) = (GaugeActor(), CallCount())
        await reader.observeWeakly(calls)
        let token = await MainActor.run { reader.gauge.observe(\.level) { @Sendable _, _ in calls.count += 1 } }
        reader.gauge.level = 1
        #expect(calls.count == 2)
        withExtendedLifetime(token) {}
    }

    @Test(
        "9.6 A function of the main actor that is registered elsewhere traps at .initial",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.executors.holds))
    func initial() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let handler: @MainActor @Sendable (SharedGauge, KeyValueObservedChange<Int>) -> Void = { _, _ in }
            await Task.detached { _ = SharedGauge().observe(\.level, options: .initial, changeHandler: handler) }.value
        }
        #expect(words("level", "MainActor", missingIn: message(of: result)) == [])
    }

    @Test("9.6 An actor with an executor of its own is checked")
    func ownExecutor() async {
        let reader = QueueActor()
        await reader.observeUsingSelf()
        // The executor says so, although no task runs.
        reader.executor.isCurrent.store(true, ordering: .relaxed)
        reader.gauge.level = 1
        #expect(await reader.changes == 1)
        await reader.stop()
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let reader = QueueActor()
            await reader.observeUsingSelf()
            reader.gauge.level = 1
        }
        #expect(words("not on the executor", missingIn: message(of: result)) == [])
    }
}
