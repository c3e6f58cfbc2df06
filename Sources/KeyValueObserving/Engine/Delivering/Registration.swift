// One registered handler.
import Synchronization

/// A handler registered for changes of one key path of one object.
///
/// The source, watch or table that keeps it owns it. The token has only its number, so a handler is released as soon as
/// its registration is removed and no delivery needs it, even if the token lives on.
@usableFromInline
class Registration: @unchecked Sendable {
    // Set under the lock that guards the recording of the registration, and only read afterwards.
    @safe @exclusivity(unchecked) private final var recordedSite: CallSite?
    /// Four times the number; plus one once the registration has ended; plus two once a thread has made changes that it
    /// ignores, or once it was added to a controller.
    ///
    /// The end is stored with releasing order and loaded with acquiring order before each call. If a call does not
    /// start because of it, everything before the end is visible. The rest needs no order, because the number is stored
    /// under the lock.
    private final let numberAndMarks = Atomic<UInt64>(0)
    /// How often the handler was called; the count needs no order.
    private final let calls = Atomic<UInt>(0)
    /// The value of its last call, if it keeps one.
    ///
    /// Only the registration has the box, and one thread at a time takes it.
    @usableFromInline final let lastValue = Spare<BoxedValue>()

    private static let ended: UInt64 = 1
    private static let isIgnorable: UInt64 = 2
    private static let markBits: UInt64 = 2
    private static let lastNumber = Atomic<RegistrationNumber>(0)

    /// The number of the newest registration.
    ///
    /// A change reads it before it looks at any list of registrations. Numbers are assigned under the lock that guards
    /// the recording, so a registration with a later number takes no part in the change, whichever list it is found in.
    static var newestNumber: RegistrationNumber { lastNumber.load(ordering: .sequentiallyConsistent) }

    @usableFromInline
    init() {}

    final var number: RegistrationNumber { numberAndMarks.load(ordering: .relaxed) >> Self.markBits }
    final var site: CallSite { unsafe recordedSite.unsafelyUnwrapped }

    /// Assigns the registration's number and call site; call it once, under the lock of the registration's keeper.
    final func record(at site: CallSite) {
        let number = Self.lastNumber.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        recordedSite = site
        // No other thread has the registration yet. A mark that it has stays.
        numberAndMarks.store(numberAndMarks.load(ordering: .relaxed) | number << Self.markBits, ordering: .relaxed)
    }

    /// Whether it takes part in a delivery.
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

    /// The observer that the registration ends with, if it was added to a controller.
    final var observer: ObserverLink? {
        numberAndMarks.load(ordering: .relaxed) & Self.isIgnorable == 0 ? nil : site.observer(of: number)
    }

    /// Makes the registration end with an observer.
    final func end(with observer: ObserverLink) {
        site.setObserver(observer, of: number)
        becomeIgnorable()
    }

    /// Whether the observer that the registration ends with has died.
    final var isOrphaned: Bool { observer?.isGone ?? false }

    /// Records that some changes may ignore the registration.
    final func becomeIgnorable() { numberAndMarks.bitwiseOr(Self.isIgnorable, ordering: .relaxed) }

    /// Ends the registration; no call starts after this.
    final func end() { numberAndMarks.bitwiseOr(Self.ended, ordering: .releasing) }

    /// Keeps the value of the initial call, even if there is no such call; an object is held weakly.
    final func keep(_ value: BoxedValue, _ keeping: Keeping) {
        if keeping == .object { value.weaken() }
        _ = lastValue.take()
        lastValue.put(value)
    }

    /// Records that a change is not delivered to it.
    final func miss() { withLastValue { $0.becomeOutdated() } }

    /// Calls `body` with the last value, if there is one.
    @discardableResult
    final func withLastValue<Result>(_ body: (BoxedValue) -> Result?) -> Result? {
        guard let lastValue = lastValue.take() else { return nil }
        defer { self.lastValue.put(lastValue) }
        return body(lastValue)
    }

    /// Whether the registration has ended; it ends now if its observer has died.
    @inline(__always)
    final var hasEnded: Bool {
        let word = numberAndMarks.load(ordering: .acquiring)
        return _slowPath(word & (Self.ended | Self.isIgnorable) != 0) && isLeftOut(word, nil)
    }

    /// How often the handler was called.
    final var callCount: Int { Int(calls.load(ordering: .relaxed)) }

    /// The inbox or sequence that receives its changes, if it has no handler that is called synchronously.
    var entrance: (any Entrance)? { nil }

    /// Counts a call of the handler just before the call.
    ///
    /// A delivery that has borrowed the registration is alone. It then adds without an atomic operation, which would be
    /// most of the cost of a call; a call that begins on another thread at the same moment may be missed.
    @usableFromInline
    final func countCall(alone isAlone: Bool) {
        if isAlone {
            calls.store(calls.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            calls.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

/// Receives the changes of a registration for a later delivery, such as an inbox.
protocol Entrance: AnyObject {
    /// Whether the receiver has died.
    var isAbandoned: Bool { get }
    /// How many handlers have been called, and how many changes were dropped.
    var counts: (delivered: Int, dropped: Int) { get }
}

extension EngineTrace {
    /// The number of the newest registration, on any object.
    package static var newestRegistration: UInt64 { Registration.newestNumber }

    /// An observer and a label in one text, as far as they exist.
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

    /// The registration's label.
    final var label: String? { site.label(of: number) }

    final func setLabel(_ label: String?) {
        site.setLabel(label, of: number)
        EngineTrace.current?.noteLabel(registered)
    }

    /// Reports that the registration was made.
    @inline(never)
    final func traceRegistration(on object: AnyObject) {
        EngineTrace.current?.noteRegistration(registered, on: object, cause: EngineTrace.cause)
    }

    /// Reports that the registration has ended.
    @inline(never)
    final func traceEnd() {
        EngineTrace.current?.noteEnd(of: number, callCount: callCount, cause: EngineTrace.cause) {
            registered
        }
    }

    /// Calls its handler, and reports the call if the change has an event.
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

    /// Reports a call of the handler that `body` makes.
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

/// Keeps registrations: a source, a watch, a table, or a keeper of several registrations.
protocol RegistrationKeeper: AnyObject, Sendable {
    /// Ends a registration and releases its handler.
    ///
    /// When it returns, the registration has ended, even if several threads call it at once.
    func remove(_ number: RegistrationNumber)

    /// Returns the registration, or all registrations of a token; empty if it has ended.
    func registrations(_ number: RegistrationNumber) -> [Registration]

    /// The observed key path; nil once the keeper has ended.
    var keyPath: AnyKeyPath? { get }

    /// Whether the observed object has died.
    var hasEnded: Bool { get }

    /// Identifies the property or watch of the registrations, as long as there are any.
    var target: ObjectIdentifier { get }

    /// The living objects that the registrations were made on.
    var objects: [AnyObject] { get }

    /// Makes a registration, or all registrations of a token, end with an observer.
    func end(_ number: RegistrationNumber, with observer: ObserverLink)

    /// Whether the registration ended because more changes waited than its buffering policy allows.
    var hasOverflowed: Bool { get }
}

extension RegistrationKeeper {
    func end(_ number: RegistrationNumber, with observer: ObserverLink) {
        for registration in registrations(number) { registration.end(with: observer) }
    }

    var hasOverflowed: Bool { false }

    var target: ObjectIdentifier { ObjectIdentifier(self) }
}
