// What is registered in a cell, where it arrives, and how it ends.
import KeyValueCoding
import KeyValueObserving
import TestSupport

/// Who observes, where a controller does.
final class Witness: Sendable {}

/// One registration in a cell, with whoever keeps it.
final class CellRun: @unchecked Sendable {
    let cell: Cell
    let log = Log()
    private let policy: KeyValueBufferingPolicy
    private let recorder = Recorder()
    private let pump = Pump()
    private let runner = Runner()
    /// Open when the handler has been released: nothing can arrive after that.
    private let isReleased = Gate()
    private var witness: Witness? = Witness()
    private var controller: KVOController<Witness>?
    private var token: KeyValueObservation?
    /// What a sequence gives next, as text.
    private var next: (() async -> String?)?

    init(_ cell: Cell, retaining: Bool = false, policy: KeyValueBufferingPolicy = .unbounded) {
        self.cell = cell
        self.policy = policy
        guard cell.holder == .controller, let witness else { return }
        controller = KVOController(observer: witness, retainsObserved: retaining)
    }

    /// Runs a function where changes arrive.
    func inPlace(_ body: @Sendable () throws -> Void) async throws {
        switch cell.place {
        case .actor: try await recorder.perform { _ in try body() }
        case .asynchronous: try runner.perform(body)
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
        if let token { token.ignoringChanges(body) } else { controller?.ignoringChanges(body) }
    }

    var hasEnded: Bool { token?.isInvalidated ?? true }

    func end(_ end: CellEnd, _ cask: Cask?) {
        switch end {
        case .invalidate: token?.invalidate()
        case .unobserveKeyPaths:
            for keyPath in [\Cask.level, \.marks, \.parts] as [PartialKeyPath<Cask>] {
                controller?.unobserve(cask, keyPath)
            }
        case .unobserveObject: controller?.unobserve(cask)
        case .unobserveAll: controller?.unobserveAll()
        case .release: (token, controller, next) = (nil, nil, nil)
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
    }

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
        switch (cell.form, cell.place, controller) {
        case (.keyPath, .here, nil): token = cask.observe(keyPath, options: options) { note(tell($1)) }
        case (.keyPath, .here, let kvo?): kvo.observe(cask, keyPath, options: options) { note(tell($2)) }
        case (.expression, .here, nil): token = cask.observe(reading: read, options: options) { note(tell($1)) }
        case (.expression, .here, let kvo?): kvo.observe(cask, reading: read, options: options) { note(tell($2)) }
        case (.transitions, .here, nil):
            token = cask.onChange(of: keyPath, initial: initial) { note(tellPair($0, $1)) }
        case (.transitions, .here, let kvo?):
            kvo.onChange(of: cask, keyPath, initial: initial) { note(tellPair($1, $2)) }
        case (.transitionsReading, .here, nil):
            token = cask.onChange(reading: read, initial: initial) { note(tellPair($0, $1)) }
        case (.transitionsReading, .here, let kvo?):
            kvo.onChange(of: cask, reading: read, initial: initial) { note(tellPair($1, $2)) }
        case (.string, _, nil):
            token = try cask.observe(name, options: options) { note("\($1.name) \(text(of: $1))") }
        case (.string, _, let kvo?):
            try kvo.observe(cask, keyPath: name, options: options) { note("\($2.name) \(text(of: $2))") }
        case (.keyPath, _, _):
            take(cask.changes(of: keyPath, options: options, bufferingPolicy: policy), farewell, tell)
        case (.expression, _, _):
            take(cask.changes(reading: read, options: options, bufferingPolicy: policy), farewell, tell)
        case (.values, _, _):
            take(
                cask.values(of: keyPath, distinct: options.contains(.distinct), bufferingPolicy: policy), farewell
            ) { "\(name) \($0)" }
        case (.valuesReading, _, _):
            take(
                cask.values(reading: read, distinct: options.contains(.distinct), bufferingPolicy: policy), farewell
            ) { "\(name) \($0)" }
        case (.transitions, _, _):
            take(cask.transitions(of: keyPath, initial: initial, bufferingPolicy: policy), farewell, tellPair)
        case (.transitionsReading, _, _):
            take(cask.transitions(reading: read, initial: initial, bufferingPolicy: policy), farewell, tellPair)
        default: fatalError("no such cell: \(cell.testDescription)")
        }
    }

    private func registerBoth(_ cask: Cask, _ options: KeyValueObservingOptions, _ farewell: Farewell) throws {
        let log = log
        let note: (KeyValueObservedChange<Any>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: change.name) }
        }
        switch (cell.form, cell.place, controller) {
        case (.list, .here, nil): token = cask.observe(keyPaths: [\.level, \.marks], options: options) { note($1) }
        case (.list, .here, let kvo?): kvo.observe(cask, keyPaths: [\.level, \.marks], options: options) { note($2) }
        case (.string, _, let kvo?):
            try kvo.observe(cask, keyPaths: ["level", "marks"], options: options) { note($2) }
        case (.list, _, _):
            take(cask.changes(of: \.level, \.marks, options: options, bufferingPolicy: policy), farewell) {
                "\($0.name) \(text(of: $0))"
            }
        case (.valuesOfList, _, _):
            take(cask.values(of: \.level, \.marks, bufferingPolicy: policy), farewell) { "both \($0) \($1)" }
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
        switch (cell.place, controller) {
        case (.iterator, _):
            var iterator = sequence.makeAsyncIterator()
            next = { await iterator.next().map(tell) }
        case (.actor, nil):
            token = sequence.deliver(to: recorder) { recorder, element in
                recorder.assertIsolated()
                note(element)
            }
        case (.actor, let kvo?): sequence.deliver(to: recorder, by: kvo) { note($2) }
        case (.mainActor, nil):
            token = sequence.deliverOnMainActor { element in
                MainActor.assertIsolated()
                note(element)
            }
        case (.mainActor, let kvo?): sequence.deliverOnMainActor(by: kvo) { note($1) }
        case (.executor, nil): token = sequence.deliver(on: pump) { element in note(element) }
        case (.executor, let kvo?): sequence.deliver(on: pump, by: kvo) { _, element in note(element) }
        case (.asynchronous, nil):
            token = sequence.deliver(on: runner) { element in
                await Task.yield()
                note(element)
            }
        case (.asynchronous, let kvo?):
            sequence.deliver(on: runner, by: kvo) { _, element in
                await Task.yield()
                note(element)
            }
        case (.here, _): fatalError("no such cell: \(cell.testDescription)")
        }
    }

    private func registerEach(_ cask: Cask, _ options: KeyValueObservingOptions, _ farewell: Farewell) {
        let log = log
        let tell: (Part, KeyValueObservedChange<Int>) -> Void = { [farewell] part, change in
            withExtendedLifetime(farewell) { log.add(change, as: part.name) }
        }
        if let controller {
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
