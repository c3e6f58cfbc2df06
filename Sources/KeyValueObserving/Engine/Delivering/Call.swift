// Calls of registrations that have still to be made.

/// What the calls at one target have in common: a property or a watch changed once.
final class CallContent {
    /// The object that the registrations were made on.
    let object: AnyObject
    /// Identifies the source or the watch; nil where no change of another property concerns the call.
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
/// Several lists may hold it: it is made by the first that comes to it.
final class Call {
    let registration: Registration
    let content: CallContent
    /// Its place in the list that it was made for.
    @safe @exclusivity(unchecked) fileprivate var place = 0
    @safe @exclusivity(unchecked) fileprivate(set) var isMade = false

    init(_ registration: Registration, _ content: CallContent) {
        self.registration = registration
        self.content = content
    }
}

extension Call {
    /// Calls a registration for the first time, with a value if it asked for that.
    static func makeFirst(of registration: Registration, on object: AnyObject, _ value: BoxedValue?) {
        let call = Call(registration, CallContent(object, nil, KeptValues(new: value), .initial))
        if EngineTrace.isOn, !registration.hasEnded {
            registration.traceCall(of: object, prior: false, cause: .unreported) { Delivery.make(call) }
        } else {
            Delivery.make(call)
        }
    }
}

/// The calls that a delivery has still to make.
///
/// Only the thread of the delivery uses it, and no access lasts while code of others runs.
final class CallList {
    /// The calls that are left, in their order.
    @safe @exclusivity(unchecked) private var calls = WaitingLine<Call>()
    /// The calls that are left at each target, once a change in a handler has asked.
    @safe @exclusivity(unchecked) private var callsByTarget: [ObjectIdentifier: ContiguousArray<Call>]?
    /// The calls that wait until the handler has returned that is running.
    @safe @exclusivity(unchecked) var waiting = WaitingCalls<Call>()
    /// The registration whose handler is running.
    @safe @exclusivity(unchecked) var running: Registration?
    @safe @exclusivity(unchecked) private var count = 0

    init() {}

    /// Calls that another list has, too.
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

    /// Takes the next call, which runs from here on; nil if none is left.
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

    /// The calls that are left at some targets, in their order; all that are left for nil.
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
