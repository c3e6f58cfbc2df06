// A registration at every property of an object.

/// Stands for one registration at each property of an object.
///
/// Each is made before the property changes for the first time. All of them have the number of the one that is listed:
/// so handlers are called in the order of registration.
///
/// The object's table owns it. It ends with its token and with the object.
final class AnyPropertyWatcher: RegistrationKeeper, PropertyWatcher, @unchecked Sendable {
    private let table: ObservationTable
    /// Held weakly, as a handler that does not use its actor does not hold it.
    private weak let isolation: (any Actor)?
    private let fileID: StaticString
    private let line: UInt
    /// What is listed for all of them, and gives the watcher its place in the order of registrations.
    private let listed = Registration()
    private let state: Guarded<State>

    private struct State {
        /// Nil once the watcher has ended.
        var handler: ((AnyObject, AnyKeyPath) -> Void)?
        /// The properties that are watched.
        var watched: [ObjectIdentifier: PropertyRecord] = [:]
    }

    init(
        in table: ObservationTable, isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ handler: @escaping (AnyObject, AnyKeyPath) -> Void
    ) {
        self.table = table
        state = Guarded(State(handler: handler))
        self.isolation = isolation
        self.fileID = fileID
        self.line = line
    }

    /// What its registrations are made with.
    private var request: RegistrationRequest {
        RegistrationRequest(
            [], isolation: isolation, fileID, line, form: .watchers,
            notifier: { WatchingRegistration.notify($0) })
    }

    var registration: Registration { listed }

    func recordLocked(at keyPath: AnyKeyPath) {
        listed.record(at: request.callSite(after: nil, at: keyPath))
    }

    /// Registers at a property, unless that has been done.
    ///
    /// Of several threads that change it for the first time each registers before it goes on, and one registration is
    /// kept.
    func watch(_ record: PropertyRecord, at keyPath: AnyKeyPath) {
        let handler = state.withLock { $0.watched[ObjectIdentifier(record)] == nil ? $0.handler : nil }
        guard let handler else { return }
        let new = WatchingRegistration(listed, handler)
        // Whether a change ignores it is looked up by the number that all of them have.
        new.becomeIgnorable()
        record.add(new, request, at: keyPath, as: registration.number)
        state.withLock { if $0.handler != nil { $0.watched[ObjectIdentifier(record)] = record } }
        // It may have ended on another thread before the registration was recorded.
        if !isActive { record.remove(registration.number) }
    }

    func remove(_: RegistrationNumber) {
        table.remove(self)
        end()
    }

    func endWithObject() { end() }

    /// Ends the registrations, and lets go of the handler, which is released without the lock.
    ///
    /// A second thread that comes meanwhile ends them too, or finds that all have ended.
    private func end() {
        let last = state.withLock { state in
            defer { state.handler = nil }
            return state
        }
        registration.end()
        if _slowPath(EngineTrace.isOn), last.handler != nil { registration.traceEnd() }
        for record in last.watched.values { record.remove(registration.number) }
        state.withLock { $0.watched = [:] }
        withExtendedLifetime(last) {}
    }

    private var isActive: Bool { state.withLock { $0.handler != nil } }

    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] { isActive ? [number] : [] }

    var keyPath: AnyKeyPath? { isActive ? registration.site.keyPath : nil }

    var hasEnded: Bool { table.hasEnded }
}

/// A registration that a watcher has made at one property.
final class WatchingRegistration: Registration, @unchecked Sendable {
    /// The registration that is listed for all of them: it counts their calls, and ends first.
    private let listed: Registration
    private let handler: (AnyObject, AnyKeyPath) -> Void

    fileprivate init(_ listed: Registration, _ handler: @escaping (AnyObject, AnyKeyPath) -> Void) {
        self.listed = listed
        self.handler = handler
        super.init()
    }

    override var isOfKeyPath: Bool { false }

    private func call(_ object: AnyObject, _ keyPath: AnyKeyPath) {
        if listed.hasEnded { return }
        listed.countCall(alone: false)
        handler(object, keyPath)
    }

    /// Calls the handlers of a call site, one after the other.
    fileprivate static func notify(_ message: borrowing ChangeMessage) {
        // A call site's notifier is called for its own registrations.
        let (object, keyPath) = (message.object, message.site.with { $0.keyPath })
        while let registration = message.next() {
            registration.with { registration in
                object.with { unsafe unsafeDowncast(registration, to: Self.self).call($0, keyPath) }
            }
        }
    }
}
