// Calls of registrations that are still to be made.

/// The content shared by the calls at one target, for one change of a property or a watch.
final class CallContent {
    /// The object that the registrations were made on.
    let object: AnyObject
    /// Identifies the source or the watch; nil if no change of another property concerns the call.
    let target: ObjectIdentifier?
    let values: KeptValues
    let phase: ChangePhase
    let event: EngineTrace.EventNumber

    init(
        _ object: AnyObject, _ target: ObjectIdentifier?, _ values: KeptValues, _ phase: ChangePhase = .change,
        _ event: EngineTrace.EventNumber = .unreported
    ) {
        self.object = object
        self.target = target
        self.values = values
        self.phase = phase
        self.event = event
    }
}

/// A call of one registration, kept until it is due.
///
/// Several lists may hold it; the first one to reach it makes the call.
final class Call {
    let registration: Registration
    let content: CallContent
    /// Its place in the list that it was created for.
    @safe @exclusivity(unchecked) fileprivate var place = 0
    @safe @exclusivity(unchecked) fileprivate(set) var isMade = false

    init(_ registration: Registration, _ content: CallContent) {
        self.registration = registration
        self.content = content
    }
}

extension Call {
    /// Calls a registration for the first time, with a value if it requested one.
    static func makeFirst(of registration: Registration, on object: AnyObject, _ value: BoxedValue?) {
        let call = Call(registration, CallContent(object, nil, KeptValues(new: value), .initial))
        if EngineTrace.isOn, !registration.hasEnded {
            registration.traceCall(of: object, prior: false, cause: .unreported) { Delivery.make(call) }
        } else {
            Delivery.make(call)
        }
    }
}

/// The calls that a delivery is still to make.
///
/// Only the thread of the delivery uses it, and no access lasts while code of users runs.
final class CallList {
    /// The remaining calls, in their order.
    @safe @exclusivity(unchecked) private var calls = WaitingLine<Call>()
    /// The remaining calls at each target, once a change in a handler needs them.
    @safe @exclusivity(unchecked) private var callsByTarget: [ObjectIdentifier: ContiguousArray<Call>]?
    /// The calls that wait until the running handler has returned.
    @safe @exclusivity(unchecked) var waiting = WaitingCalls<Call>()
    /// The registration whose handler is running.
    @safe @exclusivity(unchecked) var running: Registration?
    @safe @exclusivity(unchecked) private var count = 0

    init() {}

    /// Creates a list of calls that another list has, too.
    init(_ calls: ContiguousArray<Call>) {
        for call in calls { self.calls.append(call) }
    }

    /// Adds a call to the end.
    func append(_ call: Call) {
        count += 1
        call.place = count
        calls.append(call)
        if let target = call.content.target { callsByTarget?[target, default: []].append(call) }
    }

    /// Removes the next call, which then counts as running; nil if none is left.
    func next() -> Call? {
        running = nil
        while let call = waiting.next() ?? calls.popFirst() {
            if call.isMade { continue }
            call.isMade = true
            if call.registration.hasEnded { continue }
            running = call.registration
            return call
        }
        return nil
    }

    /// The remaining calls at some targets, in their order; with nil, all remaining calls.
    func left(at targets: [ObjectIdentifier]?) -> ContiguousArray<Call> {
        if calls.isEmpty { return [] }
        guard let targets else { return ContiguousArray(calls.all.filter { !$0.isMade }) }
        var known = callsByTarget.take() ?? findCallsByTarget()
        var left: ContiguousArray<Call> = []
        for target in targets {
            guard let calls = known[target] else { continue }
            let open = ContiguousArray(calls.filter { !$0.isMade })
            known[target] = open.isEmpty ? nil : open
            left += open
        }
        callsByTarget = known
        if targets.count > 1 { left.sort { $0.place < $1.place } }
        return left
    }

    private func findCallsByTarget() -> [ObjectIdentifier: ContiguousArray<Call>] {
        var byTarget: [ObjectIdentifier: ContiguousArray<Call>] = [:]
        for call in calls.all { if let target = call.content.target { byTarget[target, default: []].append(call) } }
        return byTarget
    }
}
