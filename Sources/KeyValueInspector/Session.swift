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
    /// How many events the page knows were not recorded; those before it was opened do not concern it.
    private var unrecorded = KeyValueTrace.unrecordedCount
    /// Events that had not ended when they were sent, and are sent again when they have.
    private var unfinished: [UInt64] = []
    private var isOpening = true
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
            sentences: KeyValueTrace.sentences(about: event, in: chain.reversed()) {
                "\u{1}\($0.typeName)\u{2}\($0.identity.text)\u{3}"
            }.map(SentenceText.init))
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
        defer { isOpening = false }
        let recent = KeyValueTrace.events(after: lastEvent, newest: Limit.events)
        let ended = unfinished.compactMap(KeyValueTrace.event).filter { $0.duration != nil }
        let all = KeyValueTrace.unrecordedCount
        let newlyUnrecorded = all - unrecorded
        guard !recent.events.isEmpty || !ended.isEmpty || newlyUnrecorded > 0 else { return nil }
        unrecorded = all
        let unsent = isOpening ? 0 : recent.droppedCount
        lastEvent = recent.events.last?.number ?? lastEvent
        let events = ended + recent.events
        unfinished =
            (unfinished.filter { number in !ended.contains { $0.number == number } }
            + recent.events.filter { $0.duration == nil }.map(\.number)).suffix(Limit.events)
        return EventsMessage(events: events, leftOut: unsent + newlyUnrecorded)
    }

    private func snapshot() -> SnapshotMessage {
        let (observed, leftOut) = KeyValueTrace.observedObjects(atMost: Limit.objects)
        let objects = observed.sorted {
            ($0.object.typeName, $0.object.identity) < ($1.object.typeName, $1.object.identity)
        }
        let listed = objects.flatMap(\.registrations)
        // Not every call is recorded: those of registrations that have not ended are counted by their objects.
        var unrecorded: [String: (calls: Int, dropped: Int)] = [:]
        for one in listed {
            unrecorded[one.listedPlace, default: (0, 0)].calls += one.deliveredCount - one.callCount
            unrecorded[one.listedPlace, default: (0, 0)].dropped += one.droppedCount
        }
        let earlier = KeyValueTrace.earlier
        var most = Limit.registrations
        let texts = objects.map { observed in
            let registrations = observed.registrations.prefix(most)
            most -= registrations.count
            return ObjectText(
                id: observed.object.identity.text, type: observed.object.typeName,
                values: observed.values.map {
                    ValueText(keyPath: $0.keyPath, text: $0.text, isUncertain: !$0.isCertain)
                },
                observers: registrations.map(ObserverText.init), dependents: observed.dependents.map(DependentText.init)
            )
        }
        return SnapshotMessage(
            objects: texts, objectsLeftOut: leftOut,
            registrationsLeftOut: max(KeyValueTrace.registrations.count, listed.count) - (Limit.registrations - most),
            earlier: earlier, earlierListed: listed.count { $0.number <= earlier ?? 0 },
            handlers: KeyValueTrace.handlers.map { HandlerText($0, unrecorded[$0.listedPlace] ?? (0, 0)) }
                .sorted { $0.calls > $1.calls }.prefix(Limit.places) + [],
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
    fileprivate init(_ registration: KeyValueTrace.Registration) {
        self.init(
            number: registration.number, keyPath: registration.keyPath, observer: registration.observer,
            place: "\(registration.fileID):\(registration.line)", calls: registration.deliveredCount,
            dropped: registration.droppedCount, total: registration.totalDuration.microseconds)
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
    fileprivate init(_ handler: KeyValueTrace.Handler, _ unrecorded: (calls: Int, dropped: Int)) {
        self.init(
            type: handler.typeName, keyPath: handler.keyPath, observer: handler.observer,
            place: "\(handler.fileID):\(handler.line)", active: handler.activeCount,
            calls: handler.callCount + unrecorded.calls, dropped: unrecorded.dropped, skipped: handler.skippedCount,
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
