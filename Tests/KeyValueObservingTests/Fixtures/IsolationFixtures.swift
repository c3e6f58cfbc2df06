// Models that any thread may change, and observers that belong to actors.
import Dispatch
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import Synchronization

/// Counts calls; for tests in which one thread at a time does so.
final class CallCount: @unchecked Sendable {
    var count = 0
}

/// A model that any thread may change; the tests change it from one at a time.
final class SharedGauge: KeyValueCodable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var next: SharedGauge?
    var isFull: Bool { level > 0 }

    static var keyPathsByKey: [String: AnyKeyPath] { ["level": \SharedGauge.level] }
}

/// An observer on the main actor.
@MainActor
final class GaugeScreen: @MainActor KeyValueObserver {
    let gauge: SharedGauge
    private(set) var changes = 0
    private var tokens: Set<KeyValueObservation> = []
    private lazy var kvo = KVOController(observer: self)

    init(_ gauge: SharedGauge = SharedGauge()) {
        self.gauge = gauge
    }

    /// Ends the registrations whose handlers hold the screen, which holds the gauge.
    func stop() { tokens = [] }

    func observe(_ form: IsolationTests.Form) throws {
        switch form {
        case .token: gauge.observe(\.level) { _, _ in self.changes += 1 }.store(in: &tokens)
        case .tokenSkippingEqual:
            gauge.observe(\.level, options: .distinct) { _, _ in self.changes += 1 }.store(in: &tokens)
        case .function: gauge.observe(\.level, changeHandler: levelDidChange).store(in: &tokens)
        case .byName: try gauge.observe("level") { _, _ in self.changes += 1 }.store(in: &tokens)
        case .controller: kvo.observe(gauge, \.level) { screen, _, _ in screen.changes += 1 }
        case .controllerSkippingEqual:
            kvo.observe(gauge, \.level, options: .distinct) { screen, _, _ in screen.changes += 1 }
        case .controllerByName: try kvo.observe(gauge, keyPath: "level") { screen, _, _ in screen.changes += 1 }
        case .several: kvo.observe(gauge, keyPaths: [\.level, \.next]) { screen, _, _ in screen.changes += 1 }
        case .action: kvo.perform(GaugeScreen.redraw, onChangeOf: gauge, \.level)
        case .actionWithChange: kvo.perform(GaugeScreen.show(_:), onChangeOf: gauge, \.level)
        case .actionWithObject: kvo.perform(GaugeScreen.show(_:of:), onChangeOf: gauge, \.level)
        case .callback: kvo.observe(gauge, \.level, context: nil)
        case .computed: gauge.observe(\.isFull) { _, _ in self.changes += 1 }.store(in: &tokens)
        case .path:
            let root = SharedGauge()
            root.next = gauge
            kvo.observe(root, \.next?.level) { screen, _, _ in screen.changes += 1 }
        }
    }

    func levelDidChange(_ gauge: SharedGauge, _ change: KeyValueObservedChange<Int>) { changes += 1 }
    func redraw() { changes += 1 }
    func show(_ change: KeyValueObservedChange<Int>) { changes += 1 }
    func show(_ change: KeyValueObservedChange<Int>, of gauge: SharedGauge) { changes += 1 }

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        changes += 1
    }
}

/// An observer that is an actor.
actor GaugeActor {
    nonisolated let gauge: SharedGauge
    private(set) var changes = 0
    private var token: KeyValueObservation?

    init(_ gauge: SharedGauge = SharedGauge()) {
        self.gauge = gauge
    }

    func observeUsingSelf() { token = gauge.observe(\.level) { _, _ in self.changes += 1 } }

    func observeWeakly(_ calls: CallCount) {
        token = gauge.observe(\.level) { [weak self] _, _ in calls.count += self == nil ? 0 : 1 }
    }

    func change() { gauge.level += 1 }
    func stop() { token = nil }
}

/// An actor whose executor decides what counts as being on it.
actor QueueActor {
    final class Executor: SerialExecutor {
        let isCurrent = Atomic(false)
        private let queue = DispatchQueue(label: "QueueActor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { precondition(isCurrent.load(ordering: .relaxed), "not on the executor") }
    }

    nonisolated let executor = Executor()
    nonisolated let gauge = SharedGauge()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private(set) var changes = 0
    private var token: KeyValueObservation?

    func observeUsingSelf() { token = gauge.observe(\.level) { _, _ in self.changes += 1 } }
    func stop() { token = nil }
}

/// Runs a function on the main thread, outside any task.
func onTheMainQueue(_ body: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: body) }
