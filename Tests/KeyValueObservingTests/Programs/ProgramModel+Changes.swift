// How a change is made: before the store, after it, and who gets what.
import KeyValueObserving

extension ProgramModel {
    /// A change of one property, with the elements concerned if it is one of elements.
    struct Change {
        let source: Source
        var elements: Elements?
        /// Whether it is an access in place.
        var isInPlace = false
        /// Makes it, and is given whether the value is as it was when the change was planned.
        let apply: (inout Object, _ isAsPlanned: Bool) -> Void

        struct Elements {
            let kind: KeyValueChange
            var indexes: [Int]?
            var old: ProgramEvent.Value?
            var new: ProgramEvent.Value?
        }
    }

    /// A change that has begun and not ended.
    final class Pending {
        let source: Source
        /// Registrations with a later number are not part of it.
        let newest: Int
        var paths: [PathChange] = []
        var isManual = false
        /// How many calls of `willChangeValue` for the same property came since.
        var nested = 0

        init(_ source: Source, _ newest: Int) {
            self.source = source
            self.newest = newest
        }
    }

    /// What a change means to one path.
    final class PathChange {
        let path: Path
        /// Whether the path ended at the property when the change began.
        let endsThere: Bool
        let startVersion: Int
        /// Registrations with a later number are not part of it, if that is not the change's.
        var newest: Int?
        var isAnnounced = false
        var isDeferred = false
        /// Whether the value was seen to be what the property stores.
        var isCopy = false

        init(_ path: Path, endsThere: Bool) {
            self.path = path
            self.endsThere = endsThere
            startVersion = path.version
        }
    }

    /// A change on its way to its observers.
    final class Delivery {
        struct Call {
            let member: Member
            let event: ProgramEvent
            /// The path's values, whether or not the observer gets them.
            let old: ProgramEvent.Value?
            let new: ProgramEvent.Value?
        }

        private var calls: ArraySlice<Call>

        init(_ calls: [Call]) { self.calls = calls.sorted { $0.member.number < $1.member.number }[...] }

        func next() -> Call? { calls.popFirst() }
    }

    func deliver(_ calls: [Delivery.Call]) {
        let delivery = Delivery(calls)
        underWay.append(delivery)
        complete(delivery)
        underWay.removeLast()
    }

    private func complete(_ delivery: Delivery) { while let call = delivery.next() { tell(call) } }

    /// Completes the deliveries under way, outermost first.
    func completeAll() { for delivery in underWay { complete(delivery) } }

    /// The paths that depend on a property, those at the property itself included.
    func paths(at source: Source) -> [Path] { paths.values.filter { $0.dependencies.contains(source) } }

    // MARK: A change in one call

    /// Completes what is under way if a change is to be delivered.
    func completeAll(before source: Source) {
        if !paths(at: source).isEmpty { completeAll() }
        completeWaiting(of: source)
    }

    func make(_ change: Change) {
        let source = change.source
        completeAll(before: source)
        guard pending[source] == nil, !paths(at: source).isEmpty else {
            // Nobody is notified, or a change around it speaks for it.
            if change.isInPlace { noteBeforeAccess(to: source) }
            change.apply(&objects[source.object], true)
            return noteStore(source)
        }
        let own = Pending(source, newestNumber)
        pending[source] = own
        let whole = read(stored: source)
        begin(own, with: change.elements)
        deliver(priors(of: own, change.elements))
        let elements = isSame(whole, read(stored: source)) ? change.elements : nil
        change.apply(&objects[source.object], change.elements == nil || elements != nil)
        noteStore(source)
        deliver(finish(own, with: elements))
    }

    /// While a property is accessed in place, nobody reads it: so values are noted before.
    private func noteBeforeAccess(to source: Source) {
        for path in paths(at: source) where !path.isAnnounced && needsOld(path) {
            path.isShared = true
            path.known = path.known ?? read(path.source)
        }
    }

    private func needsOld(_ path: Path) -> Bool {
        path.members.contains { $0.registration.options.contains(.old) }
    }

    private func read(stored source: Source) -> (value: ProgramEvent.Value, stamp: Int) {
        let object = objects[source.object]
        let value: ProgramEvent.Value =
            switch source.property {
            case .items: .items(object.items)
            case .members: .members(object.members)
            default: .none
            }
        return (value, stamp(source))
    }

    /// Whether two values are copies; of empty collections only the library knows.
    private func isSame(
        _ left: (value: ProgramEvent.Value, stamp: Int?), _ right: (value: ProgramEvent.Value, stamp: Int)
    ) -> Bool {
        if left.stamp != right.stamp, left.value == right.value, [.items([]), .members([])].contains(left.value) {
            isUncertain = true
        }
        return left.stamp == right.stamp
    }

    // MARK: Before

    /// Finds out whom a change concerns, and their values before it.
    func begin(_ change: Pending, announcing own: Path? = nil, with elements: Change.Elements? = nil) {
        var concerned = paths(at: change.source)
        if let own, !concerned.contains(where: { $0 === own }) { concerned.append(own) }
        for path in concerned {
            let concern = PathChange(path, endsThere: path.leaf == change.source)
            concern.isAnnounced = path === own
            path.changes += 1
            change.paths.append(concern)
            guard !path.isAnnounced else { continue }
            if needsOld(path) {
                if path.changes > 1 || !concern.endsThere { path.isShared = true }
                path.known = path.known ?? read(path.source)
            }
            if elements != nil, !concern.endsThere, path.source.property.end == change.source.property {
                let value = path.known ?? read(path.source)
                concern.isCopy = isSame((value.value, value.stamp), read(stored: change.source))
            }
        }
        own?.isAnnounced = true
    }

    /// Who is called before a change.
    func priors(of change: Pending, _ elements: Change.Elements?) -> [Delivery.Call] {
        change.paths.flatMap { concern -> [Delivery.Call] in
            if concern.path.isAnnounced, !concern.isAnnounced { return [] }
            let isOfElements = elements != nil && (concern.isCopy || concern.endsThere && !concern.path.isShared)
            let old = (concern.path.known ?? read(concern.path.source)).value
            return calls(
                concern, change, isOfElements ? elements : nil, old: old, new: nil, isPrior: true)
        }
    }

    // MARK: After

    /// Decides what a change means to each path, now that it is made.
    func finish(_ change: Pending, with elements: Change.Elements?) -> [Delivery.Call] {
        var calls: [Delivery.Call] = []
        var index = 0
        var concluded: [(PathChange, Read)] = []
        // More paths may be led to the property meanwhile.
        while index < change.paths.count {
            let concern = change.paths[index]
            let path = concern.path
            index += 1
            let isOver =
                !concern.isAnnounced && !concern.isDeferred && path.version != concern.startVersion
                && !path.dependencies.contains(change.source)
            if isOver || path.isAnnounced {
                if !isOver { path.isDeferred = true }
                endChange(of: path)
            } else {
                concluded.append((concern, evaluate(path)))
            }
        }
        pending[change.source] = nil
        for (concern, new) in concluded {
            let path = concern.path
            let isCopy =
                concern.endsThere
                ? path.changes == 1 && !path.isShared && !concern.isAnnounced && !concern.isDeferred
                : concern.isCopy && elements != nil && isSame((new.value, new.stamp), read(stored: change.source))
            let old = path.known?.value
            path.version += 1
            endChange(of: path)
            if path.changes > 0 {
                path.known = new
                path.isShared = true
            }
            calls += self.calls(concern, change, isCopy ? elements : nil, old: old, new: new.value, isPrior: false)
        }
        return calls
    }

    private func endChange(of path: Path) {
        path.changes -= 1
        if path.changes == 0 {
            path.known = nil
            path.isShared = false
        }
    }

    private func calls(
        _ concern: PathChange, _ change: Pending, _ elements: Change.Elements?, old: ProgramEvent.Value?,
        new: ProgramEvent.Value?, isPrior: Bool
    ) -> [Delivery.Call] {
        concern.path.members.filter { $0.number <= concern.newest ?? change.newest }.compactMap { member in
            let options = member.registration.options
            if isPrior, !options.contains(.prior) { return nil }
            let (ownOld, ownNew) = elements.map { ($0.old, $0.new) } ?? (old, new)
            let event = ProgramEvent(
                registration: member.registration.id, subject: member.registration.subject, isPrior: isPrior,
                kind: elements?.kind ?? .setting, indexes: elements?.indexes,
                old: options.contains(.old) ? ownOld : nil,
                new: options.contains(.new) && !isPrior ? ownNew : nil)
            return Delivery.Call(member: member, event: event, old: old, new: new)
        }
    }
}
