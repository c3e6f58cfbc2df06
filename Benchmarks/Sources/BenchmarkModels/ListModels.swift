// A list of closures, called by hand from `didSet`: what one writes who has several observers.
import Synchronization

/// What a list holds: a closure and the number by which it is removed.
public struct ListedHandler: Sendable {
    let id: Int
    let handler: @Sendable (_ old: Int, _ new: Int) -> Void
}

/// For one thread.
public final class ListModel {
    private var nextID = 0
    private var handlers: [ListedHandler] = []
    /// An integer.
    public var number = 0 {
        didSet {
            for listed in handlers { listed.handler(oldValue, number) }
        }
    }

    /// An object whose properties have their first values.
    public init() {}

    /// Adds a closure; what is returned removes it.
    public func add(_ handler: @escaping @Sendable (_ old: Int, _ new: Int) -> Void) -> Int {
        nextID += 1
        handlers.append(ListedHandler(id: nextID, handler: handler))
        return nextID
    }

    /// Removes a closure.
    public func remove(_ id: Int) {
        if let index = handlers.lastIndex(where: { $0.id == id }) { handlers.remove(at: index) }
    }
}

/// Handlers may be added, removed and called on any thread, and are called without the lock.
public final class LockedListModel {
    private struct List {
        var nextID = 0
        var handlers: [ListedHandler] = []
    }

    private let list = Mutex(List())
    /// An integer.
    public var number = 0 {
        didSet {
            let handlers = list.withLock { $0.handlers }
            for listed in handlers { listed.handler(oldValue, number) }
        }
    }

    /// An object whose properties have their first values.
    public init() {}

    /// Adds a closure; what is returned removes it.
    public func add(_ handler: @escaping @Sendable (_ old: Int, _ new: Int) -> Void) -> Int {
        list.withLock { list in
            list.nextID += 1
            list.handlers.append(ListedHandler(id: list.nextID, handler: handler))
            return list.nextID
        }
    }

    /// Removes a closure.
    public func remove(_ id: Int) {
        list.withLock { list in
            if let index = list.handlers.lastIndex(where: { $0.id == id }) { list.handlers.remove(at: index) }
        }
    }
}
