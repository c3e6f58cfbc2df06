// What the getters of the objects return, and what they read.
import KeyValueObserving

extension ProgramModel {
    /// A value of a path, and what was read for it.
    struct Read {
        var value = ProgramEvent.Value.none
        var sources: [Source] = []
        /// The number of the store of which the value is a copy; nil if it is made anew.
        var stamp: Int?
        /// Whether each property was read by one part of the key path.
        var isDirect = true

        mutating func note(_ object: Int, _ property: ProgramSubject) {
            let source = Source(object: object, property: property)
            if !sources.contains(source) { sources.append(source) }
        }
    }

    func shownItems(of object: Int) -> [Int] {
        let own = objects[object]
        return own.shift > 0 ? own.items + [own.shift] : own.items
    }

    func value(of source: Source) -> ProgramEvent.Value { read(source).value }

    func read(_ source: Source) -> Read {
        var result = Read()
        result.value = value(of: source.property, source.object, &result)
        return result
    }

    private func value(of property: ProgramSubject, _ own: Int, _ read: inout Read) -> ProgramEvent.Value {
        switch property {
        case .number, .numberOfSubclass: return .number(number(own, &read))
        case .items, .itemsOfSubclass: return .items(items(own, &read))
        case .members:
            read.note(own, .members)
            read.stamp = stamp(Source(object: own, property: .members))
            return .members(objects[own].members)
        case .child: return child(own, &read).map { .object($0) } ?? .none
        case .manual:
            read.note(own, .manual)
            return .number(objects[own].manual)
        case .shift:
            read.note(own, .shift)
            return .number(objects[own].shift)
        case .itemCount: return .number(items(own, &read).count)
        case .summary:
            let sum = number(own, &read) + items(own, &read).count
            let ofChild = child(own, &read).map { number($0, &read) } ?? 0
            read.note(own, .manual)
            return .number(sum + ofChild + objects[own].manual)
        case .childNumber, .expression: return child(own, &read).map { .number(number($0, &read)) } ?? .none
        case .childManual: return child(own, &read).map { value(of: .manual, $0, &read) } ?? .none
        case .childItems: return child(own, &read).map { .items(items($0, &read)) } ?? .none
        case .grandchildItems:
            return child(own, &read).flatMap { child($0, &read) }.map { .items(items($0, &read)) } ?? .none
        }
    }

    private func number(_ object: Int, _ read: inout Read) -> Int {
        read.note(object, .number)
        if object == shifted { read.note(object, .shift) }
        return objects[object].number + objects[object].shift
    }

    private func items(_ object: Int, _ read: inout Read) -> [Int] {
        if object == shifted { read.note(object, .shift) }
        read.note(object, .items)
        read.stamp = objects[object].shift > 0 ? nil : stamp(Source(object: object, property: .items))
        return shownItems(of: object)
    }

    private func child(_ object: Int, _ read: inout Read) -> Int? {
        read.note(object, .child)
        return objects[object].child
    }

    /// Reads a path and makes it depend on what was read; changes of that which are open concern it from now on.
    @discardableResult
    func evaluate(_ path: Path) -> Read {
        let result = read(path.source)
        for source in result.sources where !path.dependencies.contains(source) {
            if let change = pending[source], !change.paths.contains(where: { $0.path === path }) {
                let concern = PathChange(path, endsThere: false)
                // Who observes the path by now is notified when the change ends, unless the path is new itself.
                if path.dependencies.isEmpty {
                    for member in path.members where member.number > change.newest { member.isExcused = true }
                } else {
                    concern.newest = newestNumber
                }
                change.paths.append(concern)
                path.changes += 1
            }
        }
        path.dependencies = result.sources
        let isWhole = result.sources.count == path.source.property.parts && result.sources.last?.object != shifted
        path.leaf = isWhole ? result.sources.last : nil
        return result
    }
}
