// The connection of one page.
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
        // A frame is made when the one before has been written, so nothing piles up for a page that reads slowly.
        return AsyncStream {
            await session.nextFrame()
        } onCancel: {
            reading.cancel()
        }
    }
}

/// The state of one connection.
actor Session {
    /// The limits of what goes to a page.
    enum Limit {
        /// The time between messages: at most 60 a second.
        static let interval = Duration.nanoseconds(16_700_000)
        /// The time between snapshots.
        static let snapshotInterval = Duration.milliseconds(500)
        static let events = 200
        /// How many events are recorded between messages, which bounds what the program pays.
        static let recordedEvents = 40
        static let objects = 200
        static let registrations = 1_000
        static let places = 100
        /// How many requests of a page may wait for answers.
        static let answers = 16
    }

    private var lastEvent: UInt64 = 0
    /// How many unrecorded events the page has been informed of, or were before it was opened.
    private var unrecorded = KeyValueTrace.unrecordedCount
    /// Events that had not ended when they were sent, and are sent again when they have.
    private var unfinished: [UInt64] = []
    private var isOpening = true
    private var answers: [WSFrame] = []
    private var isFinished = false
    private var lastMessage: ContinuousClock.Instant?
    private var lastSnapshot: ContinuousClock.Instant?
    private var search = ""
    /// The objects of the last snapshot, and its place in the order of changes.
    private var shown: (objects: Set<ObjectIdentifier>, order: UInt64) = ([], 0)
    /// Whether a request to the main actor for values is unanswered.
    private var isReading = false

    /// Ends the stream of frames.
    func finish() { isFinished = true }

    // MARK: From the page

    /// Stores a request of the page, or drops it if too many wait.
    func receive(_ frame: WSFrame) {
        guard answers.count < Limit.answers else { return }
        switch frame.opcode {
        case .text where frame.fin:
            if let answer = answer(to: frame.payload) { answers.append(Self.frame(answer)) }
        case .ping:
            answers.append(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
        case .close: isFinished = true
        case .pong: break
        default: answers.append(Self.frame(ErrorMessage(message: "Only short text messages are answered.")))
        }
    }

    private func answer(to data: Data) -> (any Encodable)? {
        let request = try? JSONDecoder().decode(Request.self, from: data)
        if let search = request?.search {
            self.search = search
            lastSnapshot = nil
            return nil
        }
        guard let number = request?.explain else {
            return ErrorMessage(
                message: """
                    Only {"explain": number} and {"search": text} are answered; nothing can be changed from here.
                    """)
        }
        guard let event = KeyValueTrace.event(number) else {
            return ErrorMessage(message: "Event \(number) is not kept any more.")
        }
        // The chain of the event's causes, which have lower numbers.
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
            if lastSnapshot.map({ now >= $0 + Limit.snapshotInterval }) ?? !isOpening {
                lastSnapshot = now
                return Self.frame(snapshot())
            }
            if let message = newEvents() { return Self.frame(message) }
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
        let order = KeyValueTrace.newestOrder
        let listing = KeyValueTrace.listing(
            of: search, atMost: Limit.objects, keeping: shown.objects, since: shown.order)
        let all = listing.objects + listing.matches
        shown = (Set(all.map(\.object.identity)), order)
        readOnMainActor(all.filter(\.isReadOnMainActor).map(\.object.identity))
        let reads = all.flatMap(\.dependents).flatMap(\.dependencies).compactMap(\.object)
        let numbers = KeyValueTrace.numbers(of: reads)
        let now = ContinuousClock.now
        func text(_ observed: KeyValueTrace.ObservedObject, _ most: inout Int) -> ObjectText {
            let registrations = observed.registrations.prefix(most)
            most -= registrations.count
            return ObjectText(
                id: observed.object.identity.text, type: observed.object.typeName, number: observed.number,
                values: observed.values.map { value in
                    ValueText(
                        keyPath: value.keyPath, text: value.text,
                        age: value.outdatedSince.map { $0.duration(to: now) / .seconds(1) })
                },
                observerCount: observed.registrations.count, observers: registrations.map(ObserverText.init),
                dependents: observed.dependents.map { DependentText($0, numbers) })
        }
        var (most, mostOfMatches) = (Limit.registrations, Limit.registrations)
        let objects = listing.objects.map { text($0, &most) }
        let matches = search.isEmpty ? [] : listing.matches.map { text($0, &mostOfMatches) }
        let handlers = listing.handlers.map(HandlerText.init)
        let silent = handlers.filter { $0.silent > 0 }.sorted { $0.silent > $1.silent }
        return SnapshotMessage(
            objects: objects, search: search, matches: matches, matchCount: listing.matchCount,
            objectCount: listing.classes.reduce(0) { $0 + $1.count },
            classes: listing.classes.map { ClassText(type: $0.typeName, count: $0.count) },
            registrationCount: listing.registrationCount,
            earlier: KeyValueTrace.earlier, earlierFound: listing.earlierCount,
            handlers: Array(handlers.prefix(Limit.places)), silent: Array(silent.prefix(Limit.places)),
            evaluations: KeyValueTrace.evaluations.prefix(Limit.places).map(EvaluationText.init))
    }

    /// Lets the main actor read some objects, unless it has not answered the last request; a program may block it.
    private func readOnMainActor(_ objects: [ObjectIdentifier]) {
        if objects.isEmpty || isReading { return }
        isReading = true
        Task { [weak self] in
            await KeyValueTrace.readOnMainActor(objects)
            await self?.noteReading()
        }
    }

    private func noteReading() { isReading = false }

    private static func frame(_ message: any Encodable) -> WSFrame {
        let encoder = JSONEncoder()
        // A duration is finite, and everything else is text or a whole number.
        guard let payload = try? encoder.encode(message) else { fatalError("A message of the inspector is not JSON.") }
        return WSFrame(fin: true, opcode: .text, mask: nil, payload: payload)
    }
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
    fileprivate init(_ dependent: KeyValueTrace.Dependent, _ numbers: [KeyValueTrace.Object: Int]) {
        self.init(
            name: dependent.name,
            reads: dependent.dependencies.map { property in
                PropertyText(
                    id: property.object?.identity.text, type: property.object?.typeName,
                    number: property.object.flatMap { numbers[$0] }, keyPath: property.keyPath,
                    isComputed: property.isComputed)
            })
    }
}

extension HandlerText {
    fileprivate init(_ handler: KeyValueTrace.Handler) {
        self.init(
            type: handler.typeName, keyPath: handler.keyPath, observer: handler.observer,
            place: "\(handler.fileID):\(handler.line)", active: handler.activeCount, calls: handler.callCount,
            dropped: handler.droppedCount, silent: handler.silentCount, recorded: handler.recordedCount,
            skipped: handler.skippedCount, total: handler.totalDuration.microseconds,
            longest: handler.longestDuration.microseconds)
    }
}

extension EvaluationText {
    fileprivate init(_ evaluation: KeyValueTrace.Evaluation) {
        self.init(
            type: evaluation.typeName, keyPath: evaluation.keyPath, count: evaluation.count,
            recorded: evaluation.recordedCount, unchanged: evaluation.unchangedCount,
            total: evaluation.totalDuration.microseconds, longest: evaluation.longestDuration.microseconds)
    }
}
#endif
