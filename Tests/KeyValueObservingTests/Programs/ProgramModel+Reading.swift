// What the getters of the objects return, and what they read.
import KeyValueObserving

extension ProgramModel {
    func shownItems(of object: Int) -> [Int] {
        let own = objects[object]
        return own.shift > 0 ? own.items + [own.shift] : own.items
    }

    func value(of source: Source) -> ProgramEvent.Value {
        var read: [Source] = []
        return value(of: source.property, source.object, &read)
    }

    /// Reads a path and makes it depend on what was read.
    @discardableResult
    func evaluate(_ path: Path) -> ProgramEvent.Value {
        path.dependencies = []
        path.value = value(of: path.source.property, path.source.object, &path.dependencies)
        path.isStale = false
        return path.value
    }

    private func value(of property: ProgramSubject, _ own: Int, _ read: inout [Source]) -> ProgramEvent.Value {
        switch property {
        case .number, .numberOfSubclass: return .number(number(own, &read))
        case .items, .itemsOfSubclass: return .items(items(own, &read))
        case .members:
            note(own, .members, &read)
            return .members(objects[own].members)
        case .child: return child(own, &read).map { .object($0) } ?? .none
        case .manual:
            note(own, .manual, &read)
            return .number(objects[own].manual)
        case .shift:
            note(own, .shift, &read)
            return .number(objects[own].shift)
        case .itemCount: return .number(items(own, &read).count)
        case .summary:
            let sum = number(own, &read) + items(own, &read).count
            let ofChild = child(own, &read).map { number($0, &read) } ?? 0
            note(own, .manual, &read)
            return .number(sum + ofChild + objects[own].manual)
        case .childNumber, .expression: return child(own, &read).map { .number(number($0, &read)) } ?? .none
        case .childManual: return child(own, &read).map { value(of: .manual, $0, &read) } ?? .none
        case .childItems: return child(own, &read).map { .items(items($0, &read)) } ?? .none
        case .grandchildItems:
            return child(own, &read).flatMap { child($0, &read) }.map { .items(items($0, &read)) } ?? .none
        }
    }

    private func note(_ object: Int, _ property: ProgramSubject, _ read: inout [Source]) {
        let source = Source(object: object, property: property)
        if !read.contains(source) { read.append(source) }
    }

    private func number(_ object: Int, _ read: inout [Source]) -> Int {
        note(object, .number, &read)
        if object == shifted { note(object, .shift, &read) }
        return objects[object].number + objects[object].shift
    }

    private func items(_ object: Int, _ read: inout [Source]) -> [Int] {
        if object == shifted { note(object, .shift, &read) }
        note(object, .items, &read)
        return shownItems(of: object)
    }

    private func child(_ object: Int, _ read: inout [Source]) -> Int? {
        note(object, .child, &read)
        return objects[object].child
    }
}
