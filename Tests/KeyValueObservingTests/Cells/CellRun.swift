// What is registered in a cell, where it arrives, and how it ends.
import KeyValueCoding
import KeyValueObserving
import TestSupport

/// The observer, if a controller observes.
final class Witness: Sendable {}

/// One registration in a cell, with its keeper.
final class CellRun: @unchecked Sendable {
    let cell: Cell
    let log = Log()
    private let policy: KeyValueBufferingPolicy
    private let recorder = Recorder()
    private let pump = Pump()
    private let runner = Runner()
    private let loop = EventLoop()
    /// Open when the handler has been released: nothing can arrive after that.
    private let isReleased = Gate()
    private var witness: Witness? = Witness()
    private var controller: KVOController<Witness>?
    /// Held until its holder has it.
    private var token: KeyValueObservation?
    private weak var heldToken: KeyValueObservation?
    private var set: Set<KeyValueObservation> = []
    private var array: [KeyValueObservation] = []
    /// What a sequence gives next, as text.
    private var next: (() async -> String?)?

    init(_ cell: Cell, retaining: Bool = false, policy: KeyValueBufferingPolicy = .unbounded) {
        self.cell = cell
        self.policy = policy
        guard cell.holder.isController, let witness else { return }
        controller = KVOController(observer: witness, retainsObserved: retaining)
    }

    /// Runs a function where changes arrive.
    func inPlace(_ body: @Sendable () throws -> Void) async throws {
        switch cell.place {
        case .actor: try await recorder.perform { _ in try body() }
        case .asynchronous: try runner.perform(body)
        case .taskExecutor, .asynchronousTask: try loop.perform(body)
        case .mainActor: try await MainActor.run { try body() }
        default: try body()
        }
    }

    /// What has arrived when nothing more can come: the cask is gone, or the registration has ended.
    func arrived() async -> [String] {
        while let line = await next?() { log.add(line) }
        pump.run()
        await isReleased.wait()
        return log.take()
    }

    func ignoring(_ body: () -> Void) {
        if let controller { controller.ignoringChanges(body) } else { heldToken?.ignoringChanges(body) }
    }

    var hasEnded: Bool { heldToken?.isInvalidated ?? true }

    func end(_ end: CellEnd, _ cask: Cask?) {
        switch end {
        case .invalidate: heldToken?.invalidate()
        case .unobserveKeyPaths:
            for keyPath in [\Cask.level, \.marks, \.parts] as [PartialKeyPath<Cask>] {
                controller?.unobserve(cask, keyPath)
            }
        case .unobserveObject: controller?.unobserve(cask)
        case .unobserveAll: controller?.unobserveAll()
        case .release: (token, controller, next, set, array) = (nil, nil, nil, [], [])
        case .observerDies: witness = nil
        }
    }

    // MARK: Registering

    func register(_ cask: Cask, _ options: KeyValueObservingOptions = [.old, .new]) throws {
        let farewell = Farewell(isReleased)
        switch cell.subject {
        case .level: try register(cask, \.level, "level", options, farewell)
        case .marks: try register(cask, \.marks, "marks", options, farewell)
        case .both: try registerBoth(cask, options, farewell)
        case .parts: registerEach(cask, options, farewell)
        }
        heldToken = token
        switch cell.holder {
        case .token, .controller: return
        case .set: token?.store(in: &set)
        case .array: token?.store(in: &array)
        case .store: if let controller { token?.store(in: controller) }
        }
        token = nil
    }

    /// The controller that observes by itself.
    private var observingController: KVOController<Witness>? { cell.holder == .controller ? controller : nil }

    private func register<Value: Equatable & Sendable>(
        _ cask: Cask, _ keyPath: any KeyPath<Cask, Value> & Sendable, _ name: String,
        _ options: KeyValueObservingOptions, _ farewell: Farewell
    ) throws {
        let (log, isNamed, initial) = (log, cell.form == .keyPath, options.contains(.initial))
        let tell: @Sendable (KeyValueObservedChange<Value>) -> String = { change in
            "\(isNamed ? change.name : name) \(text(of: change))"
        }
        let tellPair: @Sendable (Value, Value) -> String = { old, new in "\(name) \(old)→\(new)" }
        let note: @Sendable (String) -> Void = { [farewell] line in withExtendedLifetime(farewell) { log.add(line) } }
        let read: @Sendable (Cask) -> Value = { $0[keyPath: keyPath] }
        switch (cell.form, cell.place, observingController) {
        case (.keyPath, .here, nil): token = cask.observe(keyPath, options: options) { note(tell($1)) }
        case (.keyPath, .here, let kvo?): kvo.observe(cask, keyPath, options: options) { note(tell($2)) }
        case (.expression, .here, nil): token = cask.observe(reading: read, options: options) { note(tell($1)) }
        case (.expression, .here, let kvo?): kvo.observe(cask, reading: read, options: options) { note(tell($2)) }
        case (.onChange, .here, nil):
            token = cask.onChange(of: keyPath, initial: initial) { note(tellPair($0, $1)) }
        case (.onChange, .here, let kvo?):
            kvo.onChange(cask, keyPath, initial: initial) { note(tellPair($1, $2)) }
        case (.onChangeReading, .here, nil):
            token = cask.onChange(reading: read, initial: initial) { note(tellPair($0, $1)) }
        case (.onChangeReading, .here, let kvo?):
            kvo.onChange(cask, reading: read, initial: initial) { note(tellPair($1, $2)) }
        case (.string, _, nil):
            token = try cask.observe(name, options: options) { note("\($1.name) \(text(of: $1))") }
        case (.string, _, let kvo?):
            try kvo.observe(cask, keyPath: name, options: options) { note("\($2.name) \(text(of: $2))") }
        case (.keyPath, _, _):
            take(cask.changes(of: keyPath, options: options).buffer(policy: policy), farewell, tell)
        case (.expression, _, _):
            take(cask.changes(reading: read, options: options).buffer(policy: policy), farewell, tell)
        case (.values, _, _): take(values(cask.values(of: keyPath), options), farewell) { "\(name) \($0)" }
        case (.valuesReading, _, _): take(values(cask.values(reading: read), options), farewell) { "\(name) \($0)" }
        default: fatalError("no such cell: \(cell.testDescription)")
        }
    }

    private func values<Value: Equatable>(
        _ sequence: KeyValueSequence<Value>, _ options: KeyValueObservingOptions
    ) -> KeyValueSequence<Value> {
        let values = options.contains(.distinct) ? sequence.removeDuplicates() : sequence
        return values.buffer(policy: policy)
    }

    private func registerBoth(_ cask: Cask, _ options: KeyValueObservingOptions, _ farewell: Farewell) throws {
        let log = log
        let note: (KeyValueObservedChange<Any>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: change.name) }
        }
        switch (cell.form, cell.place, observingController) {
        case (.list, .here, nil): token = cask.observe(keyPaths: [\.level, \.marks], options: options) { note($1) }
        case (.list, .here, let kvo?): kvo.observe(cask, keyPaths: [\.level, \.marks], options: options) { note($2) }
        case (.string, _, let kvo?):
            try kvo.observe(cask, keyPaths: ["level", "marks"], options: options) { note($2) }
        case (.list, _, _):
            take(cask.changes(of: \.level, \.marks, options: options).buffer(policy: policy), farewell) {
                "\($0.name) \(text(of: $0))"
            }
        default: fatalError("no such cell: \(cell.testDescription)")
        }
    }

    /// Takes a sequence where the cell says, and adds each element to the log.
    private func take<Element>(
        _ sequence: KeyValueSequence<Element>, _ farewell: Farewell, _ tell: @escaping @Sendable (Element) -> String
    ) {
        let (log, recorder) = (log, recorder)
        let note: @Sendable (Element) -> Void = { [farewell] element in
            withExtendedLifetime(farewell) { log.add(tell(element)) }
        }
        switch cell.place {
        case .iterator:
            var iterator = sequence.makeAsyncIterator()
            next = { await iterator.next().map(tell) }
        case .stream:
            let stream = sequence.stream()
            next = {
                var iterator = stream.makeAsyncIterator()
                return await iterator.next().map(tell)
            }
        case .actor:
            token = sequence.deliver(to: recorder) { recorder, element in
                recorder.assertIsolated()
                note(element)
            }
        case .mainActor:
            token = sequence.deliverOnMainActor { element in
                MainActor.assertIsolated()
                note(element)
            }
        case .executor: token = sequence.deliver(on: pump) { element in note(element) }
        case .taskExecutor: token = sequence.deliver(on: loop) { element in note(element) }
        case .asynchronous:
            token = sequence.deliver(on: runner) { element in
                await Task.yield()
                note(element)
            }
        case .asynchronousTask:
            token = sequence.deliver(on: loop) { element in
                await Task.yield()
                note(element)
            }
        case .here: fatalError("no such cell: \(cell.testDescription)")
        }
    }

    private func registerEach(_ cask: Cask, _ options: KeyValueObservingOptions, _ farewell: Farewell) {
        let log = log
        let tell: (Part, KeyValueObservedChange<Int>) -> Void = { [farewell] part, change in
            withExtendedLifetime(farewell) { log.add(change, as: part.name) }
        }
        if let controller = observingController {
            controller.observe(cask, eachOf: \.parts, \.level, options: options) {
                tell($2, $3)
            } arrival: {
                log.add("+\($2.name)")
            } departure: {
                log.add("-\($2.name)")
            }
        } else {
            token = cask.observe(eachOf: \.parts, \.level, options: options) {
                tell($1, $2)
            } arrival: {
                log.add("+\($1.name)")
            } departure: {
                log.add("-\($1.name)")
            }
        }
    }
}
