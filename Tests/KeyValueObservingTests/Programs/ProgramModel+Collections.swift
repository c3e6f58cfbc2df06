// What the mutating methods of views do: which elements are concerned, and what becomes of them where a handler that is
// called before the change has changed the collection.
import KeyValueObserving

extension ProgramModel {
    /// A change of elements of an array; `edit` makes it, of the array as it is then.
    private func changeItems(
        of object: Int, _ kind: KeyValueChange, at indexes: [Int], old: [Int]? = nil, new: [Int]? = nil,
        edit: ([Int]) -> [Int]
    ) {
        guard !indexes.isEmpty else { return }
        let elements = Elements(
            kind: kind, indexes: indexes, old: old.map { .items($0) }, new: new.map { .items($0) })
        change(Source(object: object, property: .items), elements) { $0.items = edit($0.items) }
    }

    private func insert(_ new: [Int], at start: Int, of object: Int) {
        changeItems(of: object, .insertion, at: new.indices.map { start + $0 }, new: new) { items in
            let start = min(start, items.count)
            return items[..<start] + new + items[start...]
        }
    }

    private func append(_ new: [Int], to object: Int) {
        let start = objects[object].items.count
        changeItems(of: object, .insertion, at: new.indices.map { start + $0 }, new: new) { $0 + new }
    }

    private func remove(_ positions: [Int], of object: Int, edit: (([Int]) -> [Int])? = nil) {
        let items = objects[object].items
        changeItems(of: object, .removal, at: positions, old: positions.map { items[$0] }) { items in
            edit?(items) ?? items.indices.filter { !positions.contains($0) }.map { items[$0] }
        }
    }

    private func replace(_ positions: [Int], with new: [Int], of object: Int, edit: (([Int]) -> [Int])? = nil) {
        let items = objects[object].items
        changeItems(of: object, .replacement, at: positions, old: positions.map { items[$0] }, new: new) { items in
            if let edit { return edit(items) }
            var result = items
            for (position, item) in zip(positions, new) where position < items.count { result[position] = item }
            return result
        }
    }

    /// Gives the elements other places: `order` says which element goes to each.
    private func rearrange(_ object: Int, _ order: @escaping ([Int]) -> [Int]) {
        let items = objects[object].items
        let places = order(items)
        let changed = items.indices.filter { places[$0] != $0 }
        replace(changed, with: changed.map { items[places[$0]] }, of: object) { items in
            (items.count == places.count ? places : order(items)).map { items[$0] }
        }
    }

    func mutateItems(_ mutation: ItemsMutation, of object: Int) {
        // What handlers that are still to be called do to the array comes first.
        let source = Source(object: object, property: .items)
        complete(for: source)
        let items = objects[object].items
        guard mutation.isPossible(with: items.count) else { return }
        switch mutation {
        case .append(let new): append(new, to: object)
        case .insert(let new, let positions):
            changeItems(of: object, .insertion, at: positions, new: new) { items in
                zip(positions, new).reduce(into: items) { $0.insert($1.1, at: min($1.0, $0.count)) }
            }
        case .remove(let positions): remove(positions, of: object)
        case .replace(let positions, let new): replace(positions, with: new, of: object)
        case .replaceSubrange(let range, let new):
            let split = range.lowerBound + min(range.count, new.count)
            let rest = Array(new.dropFirst(split - range.lowerBound))
            replace(Array(range.lowerBound..<split), with: Array(new.prefix(split - range.lowerBound)), of: object)
            // What handlers did in between counts.
            complete(for: source)
            let bounds = objects[object].items.indices
            if rest.isEmpty {
                remove(Array((split..<range.upperBound).clamped(to: bounds)), of: object)
            } else {
                insert(rest, at: min(split, bounds.upperBound), of: object)
            }
        case .move(let positions, let destination):
            let target = destination - positions.count { $0 < destination }
            guard Array(target..<(target + positions.count)) != positions else { return }
            var moved: [Int] = []
            remove(positions, of: object) { items in
                moved = positions.filter { $0 < items.count }.map { items[$0] }
                return items.indices.filter { !positions.contains($0) }.map { items[$0] }
            }
            complete(for: source)
            insert(moved, at: min(target, objects[object].items.count), of: object)
        case .swap(let first, let second):
            rearrange(object) { items in
                var places = Array(items.indices)
                if places.contains(first), places.contains(second) { places.swapAt(first, second) }
                return places
            }
        case .sort: rearrange(object) { items in items.indices.sorted { (items[$0], $0) < (items[$1], $1) } }
        case .reverse: rearrange(object) { $0.indices.reversed() }
        case .removeAll: remove(Array(items.indices), of: object) { _ in [] }
        case .removeMultiples(let divisor):
            remove(items.indices.filter { items[$0].isMultiple(of: divisor) }, of: object)
        }
    }

    private func changeMembers(
        of object: Int, _ kind: KeyValueChange, old: Set<Int>? = nil, new: Set<Int>? = nil, isAll: Bool = false
    ) {
        guard !(old ?? []).isEmpty || !(new ?? []).isEmpty else { return }
        let elements = Elements(kind: kind, old: old.map { .members($0) }, new: new.map { .members($0) })
        change(Source(object: object, property: .members), elements) {
            $0.members = isAll ? [] : $0.members.subtracting(old ?? []).union(new ?? [])
        }
    }

    func mutateMembers(_ mutation: MembersMutation, of object: Int) {
        let source = Source(object: object, property: .members)
        complete(for: source)
        let members = objects[object].members
        switch mutation {
        case .insert(let member): changeMembers(of: object, .insertion, new: Set([member]).subtracting(members))
        case .remove(let member): changeMembers(of: object, .removal, old: members.intersection([member]))
        case .formUnion(let other): changeMembers(of: object, .insertion, new: other.subtracting(members))
        case .subtract(let other): changeMembers(of: object, .removal, old: members.intersection(other))
        case .formIntersection(let other): changeMembers(of: object, .removal, old: members.subtracting(other))
        case .formSymmetricDifference(let other):
            changeMembers(of: object, .removal, old: members.intersection(other))
            complete(for: source)
            let fresh = other.subtracting(members).subtracting(objects[object].members)
            changeMembers(of: object, .insertion, new: fresh)
        case .set(let other):
            changeMembers(of: object, .replacement, old: members.subtracting(other), new: other.subtracting(members))
        case .removeAll: changeMembers(of: object, .removal, old: members, isAll: true)
        }
    }
}
