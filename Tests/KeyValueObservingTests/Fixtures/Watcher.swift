// An observer of anything that a test changes.
import KeyValueObserving
import TestSupport

/// Observes on behalf of a test, as long as that lasts, and writes what it gets into one log.
final class Watcher {
    let log = Log()
    private var tokens: [KeyValueObservation] = []

    @discardableResult
    func watch<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String? = nil,
        _ options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        let token = object.observe(keyPath, options: options, fileID: fileID, line: line) { [log] in
            log.add($1, as: name)
        }
        tokens.append(token)
        return token
    }

    /// Writes changes of elements with their positions.
    func watchElements<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String? = nil,
        _ options: KeyValueObservingOptions = [.old, .new]
    ) {
        tokens.append(object.observe(keyPath, options: options) { [log] in log.addToMany($1, as: name) })
    }

    func stop() { tokens = [] }
}
