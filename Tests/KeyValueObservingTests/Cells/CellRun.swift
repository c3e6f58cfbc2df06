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
    func inPlace(_ body: @Sendable () -> Void) async {
        switch cell.place {
        case .actor: await recorder.perform { _ in body() }
        case .mainActor: await MainActor.run { body() }
        default: body()
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
        let (log, recorder, isNamed) = (log, recorder, cell.form == .keyPath)
        let initial = options.contains(.initial)
        let tell: @Sendable (KeyValueObservedChange<Value>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: isNamed ? change.name : name) }
        }
        let tellNamed: (KeyValueObservedChange<Any>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: change.name) }
        }
        let act: @Sendable (Value, Value) -> Void = { [farewell] old, new in
            withExtendedLifetime(farewell) { log.add("\(name) \(old)→\(new)") }
        }
        let read: @Sendable (Cask) -> Value = { $0[keyPath: keyPath] }
        switch (cell.form, cell.place, controller) {
        case (.keyPath, .here, nil): token = cask.observe(keyPath, options: options) { tell($1) }
        case (.keyPath, .here, let kvo?): kvo.observe(cask, keyPath, options: options) { tell($2) }
        case (.keyPath, .actor, nil):
            token = cask.observe(keyPath, options: options, on: recorder, bufferingPolicy: policy) {
                recorder.assertIsolated()
                tell($1)
            }
        case (.keyPath, .actor, let kvo?):
            kvo.observe(cask, keyPath, options: options, on: recorder, bufferingPolicy: policy) { tell($2) }
        case (.keyPath, .executor, nil):
            token = cask.observe(keyPath, options: options, on: pump, bufferingPolicy: policy) { tell($0) }
        case (.keyPath, .executor, let kvo?):
            kvo.observe(cask, keyPath, options: options, on: pump, bufferingPolicy: policy) { tell($1) }
        case (.keyPath, .mainActor, nil):
            token = cask.observeOnMainActor(keyPath, options: options, bufferingPolicy: policy) {
                MainActor.assertIsolated()
                tell($0)
            }
        case (.keyPath, .mainActor, let kvo?):
            kvo.observeOnMainActor(cask, keyPath, options: options, bufferingPolicy: policy) { tell($1) }
        case (.keyPath, .changes, _):
            var iterator = cask.changes(of: keyPath, options: options, bufferingPolicy: policy).makeAsyncIterator()
            next = { await iterator.next().map { "\($0.name) \(text(of: $0))" } }
        case (.keyPath, .values, _):
            var iterator = cask.values(of: keyPath, bufferingPolicy: policy).makeAsyncIterator()
            next = { await iterator.next().map { "\(name) \($0)" } }

        case (.expression, .here, nil): token = cask.observe(reading: read, options: options) { tell($1) }
        case (.expression, .here, let kvo?): kvo.observe(cask, reading: read, options: options) { tell($2) }
        case (.expression, .actor, nil):
            token = cask.observe(reading: read, options: options, on: recorder, bufferingPolicy: policy) { tell($1) }
        case (.expression, .actor, let kvo?):
            kvo.observe(cask, reading: read, options: options, on: recorder, bufferingPolicy: policy) { tell($2) }
        case (.expression, .executor, nil):
            token = cask.observe(reading: read, options: options, on: pump, bufferingPolicy: policy) { tell($0) }
        case (.expression, .executor, let kvo?):
            kvo.observe(cask, reading: read, options: options, on: pump, bufferingPolicy: policy) { tell($1) }
        case (.expression, .mainActor, nil):
            token = cask.observeOnMainActor(reading: read, options: options, bufferingPolicy: policy) { tell($0) }
        case (.expression, .mainActor, let kvo?):
            kvo.observeOnMainActor(cask, reading: read, options: options, bufferingPolicy: policy) { tell($1) }
        case (.expression, .changes, _):
            var iterator = cask.changes(reading: read, options: options, bufferingPolicy: policy).makeAsyncIterator()
            next = { await iterator.next().map { "\(name) \(text(of: $0))" } }
        case (.expression, .values, _):
            var iterator = cask.values(reading: read, bufferingPolicy: policy).makeAsyncIterator()
            next = { await iterator.next().map { "\(name) \($0)" } }

        case (.onChange, .here, nil): token = cask.onChange(of: keyPath, initial: initial) { act($0, $1) }
        case (.onChange, .here, let kvo?): kvo.onChange(of: cask, keyPath, initial: initial) { act($1, $2) }
        case (.onChange, .actor, nil):
            token = cask.onChange(of: keyPath, initial: initial, on: recorder, bufferingPolicy: policy) { act($1, $2) }
        case (.onChange, .actor, let kvo?):
            kvo.onChange(of: cask, keyPath, initial: initial, on: recorder, bufferingPolicy: policy) { act($2, $3) }
        case (.onChange, .executor, nil):
            token = cask.onChange(of: keyPath, initial: initial, on: pump, bufferingPolicy: policy) { act($0, $1) }
        case (.onChange, .executor, let kvo?):
            kvo.onChange(of: cask, keyPath, initial: initial, on: pump, bufferingPolicy: policy) { act($1, $2) }
        case (.onChange, .mainActor, nil):
            token = cask.onChangeOnMainActor(of: keyPath, initial: initial, bufferingPolicy: policy) { act($0, $1) }
        case (.onChange, .mainActor, let kvo?):
            kvo.onChangeOnMainActor(of: cask, keyPath, initial: initial, bufferingPolicy: policy) { act($1, $2) }

        case (.onChangeReading, .here, nil): token = cask.onChange(reading: read, initial: initial) { act($0, $1) }
        case (.onChangeReading, .here, let kvo?):
            kvo.onChange(of: cask, reading: read, initial: initial) { act($1, $2) }
        case (.onChangeReading, .actor, nil):
            token = cask.onChange(reading: read, initial: initial, on: recorder, bufferingPolicy: policy) {
                act($1, $2)
            }
        case (.onChangeReading, .actor, let kvo?):
            kvo.onChange(of: cask, reading: read, initial: initial, on: recorder, bufferingPolicy: policy) {
                act($2, $3)
            }
        case (.onChangeReading, .executor, nil):
            token = cask.onChange(reading: read, initial: initial, on: pump, bufferingPolicy: policy) { act($0, $1) }
        case (.onChangeReading, .executor, let kvo?):
            kvo.onChange(of: cask, reading: read, initial: initial, on: pump, bufferingPolicy: policy) { act($1, $2) }
        case (.onChangeReading, .mainActor, nil):
            token = cask.onChangeOnMainActor(reading: read, initial: initial, bufferingPolicy: policy) { act($0, $1) }
        case (.onChangeReading, .mainActor, let kvo?):
            kvo.onChangeOnMainActor(of: cask, reading: read, initial: initial, bufferingPolicy: policy) { act($1, $2) }

        case (.string, _, nil): token = try cask.observe(name, options: options) { tellNamed($1) }
        case (.string, _, let kvo?): try kvo.observe(cask, keyPath: name, options: options) { tellNamed($2) }
        default: fatalError("no such cell: \(cell.testDescription)")
        }
    }

    private func registerBoth(_ cask: Cask, _ options: KeyValueObservingOptions, _ farewell: Farewell) throws {
        let log = log
        let tell: @Sendable (KeyValueObservedChange<any Sendable>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: change.name) }
        }
        let tellAny: (KeyValueObservedChange<Any>) -> Void = { [farewell] change in
            withExtendedLifetime(farewell) { log.add(change, as: change.name) }
        }
        switch (cell.form, cell.place, controller) {
        case (.list, .here, nil): token = cask.observe(keyPaths: [\.level, \.marks], options: options) { tellAny($1) }
        case (.list, .here, let kvo?):
            kvo.observe(cask, keyPaths: [\.level, \.marks], options: options) { tellAny($2) }
        case (.list, .actor, nil):
            token = cask.observe(\.level, \.marks, options: options, on: recorder, bufferingPolicy: policy) { tell($1) }
        case (.list, .actor, let kvo?):
            kvo.observe(cask, \.level, \.marks, options: options, on: recorder, bufferingPolicy: policy) { tell($2) }
        case (.list, .executor, nil):
            token = cask.observe(\.level, \.marks, options: options, on: pump, bufferingPolicy: policy) { tell($0) }
        case (.list, .executor, let kvo?):
            kvo.observe(cask, \.level, \.marks, options: options, on: pump, bufferingPolicy: policy) { tell($1) }
        case (.list, .mainActor, nil):
            token = cask.observeOnMainActor(\.level, \.marks, options: options, bufferingPolicy: policy) { tell($0) }
        case (.list, .mainActor, let kvo?):
            kvo.observeOnMainActor(cask, \.level, \.marks, options: options, bufferingPolicy: policy) { tell($1) }
        case (.list, .changes, _):
            var iterator = cask.changes(of: \.level, \.marks, options: options, bufferingPolicy: policy)
                .makeAsyncIterator()
            next = { await iterator.next().map { "\($0.name) \(text(of: $0))" } }
        case (.string, _, let kvo?):
            try kvo.observe(cask, keyPaths: ["level", "marks"], options: options) { tellAny($2) }
        default: fatalError("no such cell: \(cell.testDescription)")
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
