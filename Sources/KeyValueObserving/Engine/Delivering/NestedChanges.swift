// Changes made by handlers: the deliveries completed first, and the calls that wait for a running handler.

extension Delivery {
    /// Completes the deliveries under way on this thread that a change of a source concerns, outermost first; with nil,
    /// all.
    ///
    /// A running registration is skipped; it is called when its handler has returned.
    static func complete(concerning source: Source?, and own: Watch? = nil) {
        guard ActiveDelivery.isAnyLeft else { return }
        let source = ConcernedSource(source, own)
        while true {
            var (found, next) = (ContiguousArray<Call>(), ActiveDelivery.innermost)
            while let active = next {
                let left = active.left(for: source)
                if !left.isEmpty { found = left }
                next = active.outer
            }
            if found.isEmpty { return }
            run(Delivery(of: CallList(found)))
        }
    }

    /// Completes all deliveries under way on this thread.
    package static func completeAll() { complete(concerning: nil) }

    /// Whether a delivery around this one is running one of its recipients.
    var meetsRunning: Bool {
        var next = outer
        while let active = next {
            if let running = active.running, !running.site.isReentrant, recipients.with({ $0.include(running) }) {
                return true
            }
            next = active.outer
        }
        return false
    }
}

extension ActiveDelivery {
    /// Prepares this delivery to run inside another one.
    @inline(never)
    func prepareInside() {
        if ThisThread.stackIsNearlyFull { trapIfNearlyFull() }
        access { if $0.meetsRunning { $0.makeCalls() } }
    }

    // MARK: The remaining calls

    /// Whether anything is still to be delivered on this thread.
    static var isAnyLeft: Bool {
        var next = innermost
        while let active = next {
            let isLeft = active.access { delivery in
                delivery.cursor.hasMore || delivery.calls != nil || delivery.transaction?.with { $0.hasNext } ?? false
            }
            if isLeft { return true }
            next = active.outer
        }
        return false
    }

    /// The remaining calls of this delivery that a change of a source concerns.
    fileprivate func left(for source: ConcernedSource) -> ContiguousArray<Call> {
        let isLeft = access { delivery in
            delivery.cursor.hasMore && source.concerns(delivery.recipients)
                || delivery.transaction?.with { $0.hasNext } ?? false
        }
        if isLeft { access { $0.makeCalls() } }
        return access { $0.calls }?.object.left(at: source.identities) ?? []
    }

    // MARK: Running handlers

    /// The registration whose handler is running.
    fileprivate var running: Registration? { access { $0.calls?.with { $0.running } ?? $0.cursor.current?.object } }

    /// The outermost delivery around this one that is running a registration, whose next call then waits.
    func runner(of registration: Registration) -> ActiveDelivery? {
        if registration.site.isReentrant { return nil }
        var (found, next) = (nil as ActiveDelivery?, outer)
        while let active = next {
            if active.running === registration { found = active }
            next = active.outer
        }
        return found
    }

    /// Makes a call wait until the handler running in this delivery has returned.
    func wait(_ call: Call) {
        let list = access { $0.listOfCalls() }
        list.waiting.append(call, becauseOfLast: true)
        if list.waiting.isNearlyEndless {
            list.waiting.names.formUnion(Self.innermost?.names(upTo: self) ?? [])
            if list.waiting.isEndless { trapEndless(list.waiting.names, call.content.object) }
        }
    }

    // MARK: Endless changes

    /// The running registrations, from this delivery outward to another one or to the outermost.
    private func allRunning(upTo outermost: ActiveDelivery?) -> [Registration] {
        var (running, next) = ([] as [Registration], self as ActiveDelivery?)
        while let active = next {
            if let registration = active.running { running.append(registration) }
            if outermost.map({ $0 == active }) ?? false { break }
            next = active.outer
        }
        return running
    }

    /// Their names, each once, and 32 at most.
    func names(upTo outermost: ActiveDelivery?) -> [String] {
        var names: [String] = []
        for site in allRunning(upTo: outermost).lazy.map(\.site) where names.count < 32 {
            let name = "\(site.name) (registered at \(site.fileID):\(site.line))"
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Traps with the names of the running handlers, if there are any, because the stack is nearly full.
    private func trapIfNearlyFull() {
        let running = allRunning(upTo: nil)
        guard let innermost = running.first else { return }
        let type = TypeName.text(of: Swift.type(of: innermost.site.keyPath).rootType)
        fatalError(
            """
            The stack is nearly full: handlers of \(names(upTo: nil).reversed().joined(separator: ", ")) run one inside the other, \
            \(running.count) deep, the innermost for a change of a \(type). Deliver a part of such a chain later, with \
            deliver(to:) of a sequence, or give the thread a larger stack.
            """)
    }
}

/// A property that is about to change, whose watches are found at first use; or every property.
final class ConcernedSource {
    private let source: Source?
    private let own: Watch?
    private let id: ObjectIdentifier?
    /// The watches that depend on the property, and the one at its own key path, if the change is announced.
    private lazy var watches = (source?.dependents ?? []) + (own.map { [$0] } ?? [])

    init(_ source: Source?, _ own: Watch?) {
        self.source = source
        self.own = own
        id = source.map { ObjectIdentifier($0) }
    }

    /// Whether a change of the property concerns some of the recipients.
    func concerns(_ recipients: Unretained<Recipients>) -> Bool {
        recipients.with { recipients in
            id == nil || recipients.source == id
                || !recipients.watches.isEmpty && watches.contains { recipients.slot(of: $0) != nil }
        }
    }

    /// The identities of the property and of each watch that depends on it; nil for every property.
    private(set) lazy var identities: [ObjectIdentifier]? = id.map { [$0] + watches.map { ObjectIdentifier($0) } }
}
