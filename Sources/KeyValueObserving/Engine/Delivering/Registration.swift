// One registered handler.
import Synchronization

/// A handler that waits for changes of one key path of one object.
///
/// The source, watch or table that keeps it owns it. The token only knows its number, so that a handler is released as
/// soon as its registration is removed and no delivery needs it, whoever still holds the token.
@usableFromInline
class Registration: @unchecked Sendable {
    // Set under the lock under which the registration is recorded, and only read after that.
    @safe @exclusivity(unchecked) private final var recordedSite: CallSite?
    /// Four times the number, one more once the registration has ended, and two more once a thread has made changes
    /// that are not to be delivered to it, or once it was added to a controller.
    ///
    /// The end is stored with releasing order and read with acquiring order before each call, so that a call that does
    /// not start because of it sees what happened before the end. The rest needs no order: the number is stored under
    /// the lock.
    private final let numberAndMarks = Atomic<UInt64>(0)
    /// How often the handler was called; the count needs no order.
    private final let calls = Atomic<UInt>(0)
    /// The value of its last call, if it keeps that.
    ///
    /// The registration alone has the box, and one thread at a time takes it.
    @usableFromInline final let lastValue = Spare<BoxedValue>()

    private static let ended: UInt64 = 1
    private static let isIgnorable: UInt64 = 2
    private static let markBits: UInt64 = 2
    private static let lastNumber = Atomic<RegistrationNumber>(0)

    /// The number of the registration that was recorded last.
    ///
    /// A change reads it before it looks at any list of registrations. Numbers are given under the lock under which
    /// registrations are recorded; so one with a later number is not part of the change, whichever list it is found in.
    static var newestNumber: RegistrationNumber { lastNumber.load(ordering: .sequentiallyConsistent) }

    @usableFromInline
    init() {}

    final var number: RegistrationNumber { numberAndMarks.load(ordering: .relaxed) >> Self.markBits }
    final var site: CallSite { unsafe recordedSite.unsafelyUnwrapped }

    /// Gives the registration its number and its call site; to be called once, under the lock of what keeps it.
    final func record(at site: CallSite) {
        let number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        recordedSite = site
        // Nobody else knows it yet. A mark that it has stays.
        numberAndMarks.store(numberAndMarks.load(ordering: .relaxed) | number << Self.markBits, ordering: .relaxed)
    }

    /// Whether a delivery concerns it now.
    @inline(__always)
    final func takesPart(_ ignored: Unretained<IgnoredRegistrations>?, upTo newestNumber: RegistrationNumber) -> Bool {
        let word = numberAndMarks.load(ordering: .acquiring)
        if _slowPath(word & (Self.ended | Self.isIgnorable) != 0), isLeftOut(word, ignored) { return false }
        return word >> Self.markBits <= newestNumber
    }

    @inline(never)
    private final func isLeftOut(_ word: UInt64, _ ignored: Unretained<IgnoredRegistrations>?) -> Bool {
        word & Self.ended != 0 || ignored?.with { $0.contains(word >> Self.markBits) } ?? false
            || observer?.endIfGone() ?? false
    }

    /// The observer that it ends with, if it was added to a controller.
    final var observer: ObserverLink? {
        numberAndMarks.load(ordering: .relaxed) & Self.isIgnorable == 0 ? nil : site.observer(of: number)
    }

    /// Has it end with an observer.
    final func end(with observer: ObserverLink) {
        site.setObserver(observer, of: number)
        becomeIgnorable()
    }

    /// Whether the observer that it ends with is gone.
    final var isOrphaned: Bool { observer?.isGone ?? false }

    /// Notes that there may be changes that are not to be delivered to it.
    final func becomeIgnorable() { numberAndMarks.bitwiseOr(Self.isIgnorable, ordering: .relaxed) }

    /// Ends it: no call starts after this.
    final func end() { numberAndMarks.bitwiseOr(Self.ended, ordering: .releasing) }

    /// Keeps the value of its initial call, made or not; an object is not kept alive.
    final func keep(_ value: BoxedValue, _ keeping: Keeping) {
        if keeping == .object { value.weaken() }
        _ = lastValue.take()
        lastValue.put(value)
    }

    /// Notes that a change passes it over.
    final func miss() { withLastValue { $0.becomeOutdated() } }

    /// Calls `body` with the last value, if it has that.
    @discardableResult
    final func withLastValue<Result>(_ body: (BoxedValue) -> Result?) -> Result? {
        guard let lastValue = lastValue.take() else { return nil }
        defer { self.lastValue.put(lastValue) }
        return body(lastValue)
    }

    /// Whether it has ended; one whose observer is gone ends now.
    @inline(__always)
    final var hasEnded: Bool {
        let word = numberAndMarks.load(ordering: .acquiring)
        return _slowPath(word & (Self.ended | Self.isIgnorable) != 0) && isLeftOut(word, nil)
    }

    /// How often the handler was called.
    final var callCount: Int { Int(calls.load(ordering: .relaxed)) }

    /// Where its changes go, if they are delivered elsewhere.
    var entrance: (any Entrance)? { nil }

    /// Counts a call of the handler, which is about to be made.
    ///
    /// Where the delivery has borrowed the registration it is alone, and nothing is changed atomically, which would be most of
    /// what a call costs; a call that begins on another thread at the same moment may be missed.
    @usableFromInline
    final func countCall(alone isAlone: Bool) {
        if isAlone {
            calls.store(calls.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            calls.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

/// Where the changes of a registration go that are delivered elsewhere.
protocol Entrance: AnyObject {
    /// Whether what is delivered to is gone.
    var isAbandoned: Bool { get }
    /// How many handlers have been called, and how many changes were dropped.
    var counts: (delivered: Int, dropped: Int) { get }
}

extension EngineTrace {
    /// The number of the registration that was made last, on any object.
    package static var newestRegistration: UInt64 { Registration.newestNumber }

    /// An observer and a label in one text, as far as there are such.
    package static func text(of observer: String?, labeled label: String?) -> String? {
        let names = [observer, label.map { "“\($0)”" }].compactMap(\.self)
        return names.isEmpty ? nil : names.joined(separator: " ")
    }
}

extension Registration {
    /// The registration, for a listing.
    private var registered: EngineTrace.Registered {
        EngineTrace.Registered(
            number: number, keyPath: site.name, observer: EngineTrace.text(of: site.observer, labeled: label),
            fileID: site.fileID, line: site.line)
    }

    /// What people call it.
    final var label: String? { site.label(of: number) }

    final func setLabel(_ label: String?) {
        site.setLabel(label, of: number)
        EngineTrace.current?.noteLabel(registered)
    }

    /// Reports that it was made.
    @inline(never)
    final func traceRegistration(on object: AnyObject) {
        EngineTrace.current?.noteRegistration(registered, on: object, cause: EngineTrace.cause)
    }

    /// Reports that it has ended.
    @inline(never)
    final func traceEnd() {
        EngineTrace.current?.noteEnd(of: number, callCount: callCount, cause: EngineTrace.cause) {
            registered
        }
    }

    /// Calls its handler, and reports that if the change has an event.
    @inline(__always)
    final func tracing(
        _ phase: ChangePhase, of object: AnyObject, in event: EngineTrace.EventNumber, _ call: () -> Void
    ) {
        if event.isReported {
            traceCall(of: object, prior: phase == .prior, cause: event, call)
        } else {
            call()
        }
    }

    /// Reports a call of its handler, which `body` makes.
    @inline(never)
    final func traceCall(of object: AnyObject, prior isPrior: Bool, cause: EngineTrace.EventNumber, _ body: () -> Void)
    {
        guard let tracer = EngineTrace.current else { return body() }
        let event = tracer.beginDelivery(to: number, of: object, isPrior: isPrior, cause: cause) { registered }
        let count = callCount
        EngineTrace.inside(event, body)
        tracer.end(event, isSkipped: site.options.contains(.distinct) && callCount == count)
    }
}

/// What keeps registrations: a source, a watch or a table; or what stands for several of them.
protocol RegistrationKeeper: AnyObject, Sendable {
    /// Ends a registration and releases its handler.
    ///
    /// When it returns, on whichever of the threads that call it at once, the registration has ended.
    func remove(_ number: RegistrationNumber)

    /// A registration, or all that a token stands for; empty if it has ended.
    func registrations(_ number: RegistrationNumber) -> [Registration]

    /// The key path that it is observed at; nil once it has ended.
    var keyPath: AnyKeyPath? { get }

    /// Whether the object that was observed is gone.
    var hasEnded: Bool { get }

    /// Identifies what the registrations are made on, for as long as there are any.
    var target: ObjectIdentifier { get }

    /// The objects that the registrations were made on, without those that are gone.
    var objects: [AnyObject] { get }

    /// Has a registration, or all that a token stands for, end with an observer.
    func end(_ number: RegistrationNumber, with observer: ObserverLink)

    /// Whether more changes waited than a buffering policy allows, so that the registration ended.
    var hasOverflowed: Bool { get }
}

extension RegistrationKeeper {
    func end(_ number: RegistrationNumber, with observer: ObserverLink) {
        for registration in registrations(number) { registration.end(with: observer) }
    }

    var hasOverflowed: Bool { false }

    var target: ObjectIdentifier { ObjectIdentifier(self) }
}
