// What one page has been sent.
#if Inspector
import FlyingFox
import Foundation
@_spi(Inspector) import KeyValueObservingTrace

/// Makes a session for each page that connects.
struct EventsHandler: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let session = Session()
        let reading = Task.detached {
            do {
                for try await frame in client {
                    await session.receive(frame)
                    if frame.opcode == .close { break }
                }
            } catch {
                // The connection is gone.
            }
            await session.finish()
        }
        // A frame is made when the one before has been written: nothing piles up for a page that reads slowly.
        return AsyncStream {
            await session.nextFrame()
        } onCancel: {
            reading.cancel()
        }
    }
}

/// The state of one connection.
actor Session {
    /// How much goes to a page.
    enum Limit {
        /// The time between messages: at most 60 a second.
        static let interval = Duration.nanoseconds(16_700_000)
        /// The time between snapshots.
        static let snapshotInterval = Duration.milliseconds(500)
        static let events = 200
        /// How many events are recorded between messages: what the program pays for, however much it changes.
        static let recordedEvents = 40
        static let objects = 200
        static let registrations = 1_000
        static let places = 100
        /// Frames that a page sends faster than they are answered.
        static let answers = 16
    }

    private var lastEvent: UInt64 = 0
    /// How many events the page knows were not recorded.
    private var unrecorded = 0
    /// Events that had not ended when they were sent, and are sent again when they have.
    private var unfinished: [UInt64] = []
    private var answers: [WSFrame] = []
    private var isFinished = false
    private var lastMessage: ContinuousClock.Instant?
    private var lastSnapshot: ContinuousClock.Instant?

    /// Ends the stream of frames.
    func finish() { isFinished = true }

    // MARK: From the page

    /// Notes what the page asks; what is too much is dropped.
    func receive(_ frame: WSFrame) {
        guard answers.count < Limit.answers else { return }
        switch frame.opcode {
        case .text where frame.fin: answers.append(Self.frame(answer(to: frame.payload)))
        case .ping:
            answers.append(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
        case .close: isFinished = true
        case .pong: break
        default: answers.append(Self.frame(ErrorMessage(message: "Only short text messages are answered.")))
        }
    }

    private func answer(to data: Data) -> any Encodable {
        guard let request = try? JSONDecoder().decode(Request.self, from: data) else {
            return ErrorMessage(message: "Only {\"explain\": number} is answered; nothing can be changed from here.")
        }
        guard let event = KeyValueTrace.event(request.explain) else {
            return ErrorMessage(message: "Event \(request.explain) is not kept any more.")
        }
        // The chain of its causes, whose numbers are lower.
        var chain = [event]
        while let cause = chain.last?.cause.flatMap(KeyValueTrace.event) { chain.append(cause) }
        return ExplanationMessage(
            sentences: KeyValueTrace.sentences(about: event, in: chain.reversed()).map(SentenceText.init))
    }

    // MARK: To the page

    /// Waits until there is something to send and it is time; nil if the page is gone.
    func nextFrame() async -> WSFrame? {
        while !isFinished {
            let now = ContinuousClock.now
            if let last = lastMessage, now < last + Limit.interval {
                guard await wait(until: last + Limit.interval) else { return nil }
                continue
            }
            lastMessage = now
            if !answers.isEmpty { return answers.removeFirst() }
            if lastSnapshot.map({ now >= $0 + Limit.snapshotInterval }) ?? (lastEvent > 0) {
                lastSnapshot = now
                return Self.frame(snapshot())
            }
            if let message = newEvents() { return Self.frame(message) }
            if lastSnapshot == nil { lastSnapshot = now - Limit.snapshotInterval }
        }
        return nil
    }

    private func wait(until instant: ContinuousClock.Instant) async -> Bool {
        do { try await Task.sleep(until: instant, clock: .continuous) } catch { return false }
        return !isFinished
    }

    private func newEvents() -> EventsMessage? {
        let recent = KeyValueTrace.events(after: lastEvent, newest: Limit.events)
        let ended = unfinished.compactMap(KeyValueTrace.event).filter { $0.duration != nil }
        let all = KeyValueTrace.unrecordedCount
        let newlyUnrecorded = all - unrecorded
        guard !recent.events.isEmpty || !ended.isEmpty || newlyUnrecorded > 0 else { return nil }
        unrecorded = all
        lastEvent = recent.events.last?.number ?? lastEvent
        let events = ended + recent.events
        unfinished =
            (unfinished.filter { number in !ended.contains { $0.number == number } }
            + recent.events.filter { $0.duration == nil }.map(\.number)).suffix(Limit.events)
        return EventsMessage(
            events: events, leftOut: recent.droppedCount + newlyUnrecorded)
    }

    private func snapshot() -> SnapshotMessage {
        let (observed, leftOut) = KeyValueTrace.observedObjects(atMost: Limit.objects)
        let all = KeyValueTrace.registrations
        let registrations = Dictionary(grouping: all.prefix(Limit.registrations)) { $0.object?.identity }
        let calls = observed.reduce(into: [:]) { $0.merge($1.callCounts) { max($0, $1) } }
        // Not every call is recorded: those of registrations that have not ended are counted there.
        var unrecorded: [String: Int] = [:]
        for registration in all {
            let exact = calls[registration.number] ?? registration.callCount
            unrecorded[registration.listedPlace, default: 0] += exact - registration.callCount
        }
        let objects = observed.map { observed in
            let identity = observed.object.identity
            return ObjectText(
                id: identity.text, type: observed.object.typeName,
                values: observed.values.map {
                    ValueText(keyPath: $0.keyPath, text: $0.text, isUncertain: !$0.isCertain)
                },
                observers: (registrations[identity] ?? []).map {
                    ObserverText($0, calls: calls[$0.number] ?? $0.callCount)
                },
                dependents: observed.dependents.map(DependentText.init))
        }
        return SnapshotMessage(
            objects: objects.sorted { ($0.type, $0.id) < ($1.type, $1.id) }, objectsLeftOut: leftOut,
            registrationsLeftOut: max(0, all.count - Limit.registrations),
            handlers: KeyValueTrace.handlers.prefix(Limit.places).map {
                HandlerText($0, calls: $0.callCount + (unrecorded[$0.listedPlace] ?? 0))
            },
            evaluations: KeyValueTrace.evaluations.prefix(Limit.places).map(EvaluationText.init))
    }

    private static func frame(_ message: any Encodable) -> WSFrame {
        let encoder = JSONEncoder()
        // A duration is finite, and everything else is text or a whole number.
        guard let payload = try? encoder.encode(message) else { fatalError("A message of the inspector is not JSON.") }
        return WSFrame(fin: true, opcode: .text, mask: nil, payload: payload)
    }
}

extension KeyValueTrace.Registration {
    /// What tells the handlers of the hot spots apart.
    fileprivate var listedPlace: String { "\(object?.typeName ?? "") \(keyPath) \(fileID):\(line)" }
}

extension KeyValueTrace.Handler {
    fileprivate var listedPlace: String { "\(typeName) \(keyPath) \(fileID):\(line)" }
}

extension ObserverText {
    fileprivate init(_ registration: KeyValueTrace.Registration, calls: Int) {
        self.init(
            number: registration.number, keyPath: registration.keyPath, observer: registration.observer,
            place: "\(registration.fileID):\(registration.line)", calls: calls,
            total: registration.totalDuration.microseconds)
    }
}

extension DependentText {
    fileprivate init(_ dependent: KeyValueTrace.Dependent) {
        self.init(
            name: dependent.name,
            reads: dependent.dependencies.map {
                PropertyText(id: $0.object?.identity.text, type: $0.object?.typeName, keyPath: $0.keyPath)
            })
    }
}

extension HandlerText {
    fileprivate init(_ handler: KeyValueTrace.Handler, calls: Int) {
        self.init(
            type: handler.typeName, keyPath: handler.keyPath, place: "\(handler.fileID):\(handler.line)",
            active: handler.activeCount, calls: calls, skipped: handler.skippedCount,
            total: handler.totalDuration.microseconds, longest: handler.longestDuration.microseconds)
    }
}

extension EvaluationText {
    fileprivate init(_ evaluation: KeyValueTrace.Evaluation) {
        self.init(
            type: evaluation.typeName, keyPath: evaluation.keyPath, count: evaluation.count,
            unchanged: evaluation.unchangedCount, total: evaluation.totalDuration.microseconds,
            longest: evaluation.longestDuration.microseconds)
    }
}
#endif
