// What observers are to be told, worked out as simply as it can be: by comparing states.
import KeyValueObserving

/// The objects as plain values, and everything that is registered on them.
struct ProgramModel {
    struct Object: Equatable {
        var number = 0
        var items: [Int] = []
        var members: Set<Int> = []
        var child: Int?
    }

    private(set) var objects: [Object]
    /// What is to be told, in order.
    private(set) var events: [ProgramEvent] = []

    /// In the order in which they were made, without those that ended.
    private(set) var registrations: [ProgramRegistration] = []
    private var spentActions: Set<Int> = []
    /// The deliveries under way, outermost first, each with what is still to be told.
    private var underWay: [[ProgramEvent]] = []

    init(objects count: Int) { objects = Array(repeating: Object(), count: count) }

    mutating func takeEvents() -> [ProgramEvent] {
        defer { events = [] }
        return events
    }

    /// A change of one property, with the elements concerned if it is one of elements.
    private struct Change {
        let object: Int
        let property: ProgramProperty
        var kind = KeyValueChange.setting
        var indexes: [Int]?
        var old: ProgramEvent.Value?
        var new: ProgramEvent.Value?
        let apply: (inout Object) -> Void
    }

    mutating func perform(_ operation: ProgramOperation) {
        switch operation {
        case .setNumber(let number, let object):
            make(Change(object: object, property: .number) { $0.number = number })
        case .addToNumber(let step, let object):
            make(Change(object: object, property: .number) { $0.number += step })
        case .setItems(let items, let object):
            make(Change(object: object, property: .items) { $0.items = items })
        case .appendInPlace(let item, let object):
            make(Change(object: object, property: .items) { $0.items.append(item) })
        case .setMembers(let members, let object):
            make(Change(object: object, property: .members) { $0.members = members })
        case .setChild(let child, let object):
            make(Change(object: object, property: .child) { $0.child = child })
        case .items(let mutation, let object):
            mutateItems(mutation, of: object)
        case .members(let mutation, let object):
            mutateMembers(mutation, of: object)
        case .observe(let registration):
            observe(registration)
        case .end(let id):
            registrations.removeAll { $0.id == id }
        }
    }

    // MARK: Registrations

    private mutating func observe(_ registration: ProgramRegistration) {
        registrations.append(registration)
        guard registration.options.contains(.initial) else { return }
        let new = registration.options.contains(.new) ? value(of: registration) : nil
        events.append(ProgramEvent(registration: registration.id, kind: .setting, new: new))
    }

    private func value(of registration: ProgramRegistration) -> ProgramEvent.Value {
        let object = objects[registration.object]
        let child = object.child.map { objects[$0] }
        return switch registration.subject {
        case .number: .number(object.number)
        case .items: .items(object.items)
        case .members: .members(object.members)
        case .child: object.child.map { .object($0) } ?? .none
        case .itemCount: .number(object.items.count)
        case .summary: .number(object.number + object.items.count + (child?.number ?? 0))
        case .childNumber: child.map { .number($0.number) } ?? .none
        case .childItems: child.map { .items($0.items) } ?? .none
        case .grandchildItems: child?.child.map { .items(objects[$0].items) } ?? .none
        }
    }

    /// Whether a change concerns a registration, and whether its key path ends at what changes.
    private func concern(
        of registration: ProgramRegistration, in object: Int, _ property: ProgramProperty
    ) -> (isConcerned: Bool, endsThere: Bool) {
        let own = registration.object
        let child = objects[own].child
        let grandchild = child.flatMap { objects[$0].child }
        func isOwn(_ properties: ProgramProperty...) -> Bool { object == own && properties.contains(property) }
        func isChild(_ wanted: ProgramProperty) -> Bool { object == child && property == wanted }
        switch registration.subject {
        case .number: return (isOwn(.number), isOwn(.number))
        case .items: return (isOwn(.items), isOwn(.items))
        case .members: return (isOwn(.members), isOwn(.members))
        case .child: return (isOwn(.child), isOwn(.child))
        case .itemCount: return (isOwn(.items), false)
        case .summary: return (isOwn(.number, .items, .child) || isChild(.number), false)
        case .childNumber: return (isOwn(.child) || isChild(.number), isChild(.number))
        case .childItems: return (isOwn(.child) || isChild(.items), isChild(.items))
        case .grandchildItems:
            let isEnd = object == grandchild && property == .items
            return (isOwn(.child) || isChild(.child) || isEnd, isEnd)
        }
    }

    // MARK: Changes

    /// Makes a change: completes the delivery under way, tells priors, stores, and tells everybody.
    private mutating func make(_ change: Change) {
        completeUnderWay(before: change.property, of: change.object)
        let audience = audience(of: change.property, of: change.object)
        var told = audience.map { registration, endsThere in
            let options = registration.options
            let isOfElements = endsThere && change.kind != .setting
            let old = isOfElements ? change.old : value(of: registration)
            return ProgramEvent(
                registration: registration.id, kind: isOfElements ? change.kind : .setting,
                indexes: isOfElements ? change.indexes : nil, old: options.contains(.old) ? old : nil)
        }
        for (event, (registration, _)) in zip(told, audience) where registration.options.contains(.prior) {
            var prior = event
            prior.isPrior = true
            events.append(prior)
        }
        change.apply(&objects[change.object])
        for (index, (registration, endsThere)) in audience.enumerated() where registration.options.contains(.new) {
            told[index].new = endsThere && change.kind != .setting ? change.new : value(of: registration)
        }
        underWay.append(told)
        completeUnderWay()
        underWay.removeLast()
    }

    private func audience(
        of property: ProgramProperty, of object: Int
    ) -> [(registration: ProgramRegistration, endsThere: Bool)] {
        registrations.compactMap { registration in
            let (isConcerned, endsThere) = concern(of: registration, in: object, property)
            return isConcerned ? (registration, endsThere) : nil
        }
    }

    /// Completes the delivery under way if a change is to be told; those of collections always are, to replicas.
    private mutating func completeUnderWay(before property: ProgramProperty, of object: Int) {
        if [.items, .members].contains(property) || !audience(of: property, of: object).isEmpty { completeUnderWay() }
    }

    private mutating func completeUnderWay() {
        guard let innermost = underWay.indices.last else { return }
        while !underWay[innermost].isEmpty {
            let event = underWay[innermost].removeFirst()
            guard let registration = registrations.first(where: { $0.id == event.registration }) else { continue }
            events.append(event)
            guard let action = registration.action, spentActions.insert(registration.id).inserted else { continue }
            switch action {
            case .end(let id): perform(.end(registration: id))
            case .perform(let operation): perform(operation)
            case .observe(let registration): perform(.observe(registration))
            }
        }
    }

    // MARK: To-many changes

    private mutating func changeItems(
        of object: Int, _ kind: KeyValueChange, at indexes: [Int], old: [Int]? = nil, new: [Int]? = nil,
        to items: [Int]
    ) {
        guard !indexes.isEmpty else { return }
        make(
            Change(
                object: object, property: .items, kind: kind, indexes: indexes, old: old.map { .items($0) },
                new: new.map { .items($0) }
            ) { $0.items = items })
    }

    private mutating func mutateItems(_ mutation: ItemsMutation, of object: Int) {
        // What handlers that are still to be called do to the array comes first.
        completeUnderWay(before: .items, of: object)
        let items = objects[object].items
        func without(_ positions: [Int]) -> [Int] { items.indices.filter { !positions.contains($0) }.map { items[$0] } }
        func remove(_ positions: [Int], _ model: inout Self) {
            model.changeItems(
                of: object, .removal, at: positions, old: positions.map { items[$0] }, to: without(positions))
        }
        func rearrange(_ result: [Int], at positions: [Int], _ model: inout Self) {
            model.changeItems(
                of: object, .replacement, at: positions, old: positions.map { items[$0] },
                new: positions.map { result[$0] }, to: result)
        }
        switch mutation {
        case .append(let new):
            changeItems(
                of: object, .insertion, at: new.indices.map { items.count + $0 }, new: new, to: items + new)
        case .insert(let new, let positions):
            var rest = items[...]
            var fresh = new[...]
            let result = (0..<(items.count + new.count)).compactMap {
                positions.contains($0) ? fresh.popFirst() : rest.popFirst()
            }
            changeItems(of: object, .insertion, at: positions, new: new, to: result)
        case .remove(let positions):
            remove(positions, &self)
        case .replace(let positions, let new):
            var result = items
            for (position, item) in zip(positions, new) { result[position] = item }
            rearrange(result, at: positions, &self)
        case .replaceSubrange(let range, let new):
            let result = Array(items[..<range.lowerBound] + new + items[range.upperBound...])
            if range.isEmpty {
                changeItems(of: object, .insertion, at: new.indices.map { range.lowerBound + $0 }, new: new, to: result)
            } else if new.isEmpty {
                remove(Array(range), &self)
            } else {
                changeItems(
                    of: object, .replacement, at: Array(range), old: Array(items[range]), new: new, to: result)
            }
        case .move(let positions, let destination):
            let target = destination - positions.count { $0 < destination }
            let moved = positions.map { items[$0] }
            guard Array(target..<(target + moved.count)) != positions else { return }
            remove(positions, &self)
            // What handlers did in between counts.
            let rest = objects[object].items
            let start = min(target, rest.count)
            changeItems(
                of: object, .insertion, at: Array(start..<(start + moved.count)), new: moved,
                to: Array(rest[..<start] + moved + rest[start...]))
        case .swap(let first, let second):
            var result = items
            result.swapAt(first, second)
            rearrange(result, at: first == second ? [] : [first, second].sorted(), &self)
        case .sort:
            let order = items.indices.sorted { (items[$0], $0) < (items[$1], $1) }
            rearrange(order.map { items[$0] }, at: order.indices.filter { order[$0] != $0 }, &self)
        case .reverse:
            rearrange(items.reversed(), at: items.indices.filter { $0 != items.count - 1 - $0 }, &self)
        case .removeAll:
            remove(Array(items.indices), &self)
        case .removeMultiples(let divisor):
            remove(items.indices.filter { items[$0].isMultiple(of: divisor) }, &self)
        }
    }

    private mutating func changeMembers(
        of object: Int, _ kind: KeyValueChange, old: Set<Int>? = nil, new: Set<Int>? = nil
    ) {
        guard !(old ?? []).isEmpty || !(new ?? []).isEmpty else { return }
        make(
            Change(
                object: object, property: .members, kind: kind, old: old.map { .members($0) },
                new: new.map { .members($0) }
            ) { $0.members = $0.members.subtracting(old ?? []).union(new ?? []) })
    }

    private mutating func mutateMembers(_ mutation: MembersMutation, of object: Int) {
        completeUnderWay(before: .members, of: object)
        let members = objects[object].members
        switch mutation {
        case .insert(let member): changeMembers(of: object, .insertion, new: Set([member]).subtracting(members))
        case .remove(let member): changeMembers(of: object, .removal, old: members.intersection([member]))
        case .formUnion(let other): changeMembers(of: object, .insertion, new: other.subtracting(members))
        case .subtract(let other): changeMembers(of: object, .removal, old: members.intersection(other))
        case .formIntersection(let other): changeMembers(of: object, .removal, old: members.subtracting(other))
        case .formSymmetricDifference(let other):
            changeMembers(of: object, .removal, old: members.intersection(other))
            let fresh = other.subtracting(members).subtracting(objects[object].members)
            changeMembers(of: object, .insertion, new: fresh)
        case .set(let other):
            changeMembers(of: object, .replacement, old: members.subtracting(other), new: other.subtracting(members))
        case .removeAll: changeMembers(of: object, .removal, old: members)
        }
    }
}
