// Notifying subclasses of the classes of another module, and what the tests note.
import ForeignClasses
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling

final class NotifyingBook: Book, NotifyingSubclass {
    override var title: String {
        get {
            accessValue(for: \.title)
            return super.title
        }
        set { changeValue(for: \.title) { super.title = newValue } }
    }

    override var pages: Int {
        get {
            accessValue(for: \.pages)
            return super.pages
        }
        set { changeValue(for: \.pages) { super.pages = newValue } }
    }

    override var tags: [String] {
        get {
            accessValue(for: \.tags)
            return super.tags
        }
        set { changeValue(for: \.tags) { super.tags = newValue } }
    }

    override var author: Author? {
        get {
            accessValue(for: \.author)
            return super.author
        }
        set { changeValue(for: \.author) { super.author = newValue } }
    }

    override var notes: [String] {
        accessValue(for: \.notes)
        return super.notes
    }

    override func add(note: String) { changeValue(for: \.notes) { super.add(note: note) } }

    var label: String { "\(title), \(pages) pages, by \(author?.name ?? "nobody")" }
}

final class NotifyingAuthor: Author, NotifyingSubclass {
    override var name: String {
        get {
            accessValue(for: \.name)
            return super.name
        }
        set { changeValue(for: \.name) { super.name = newValue } }
    }
}

final class NotifyingEnding: Ending, NotifyingSubclass {
    override var value: Int {
        get {
            accessValue(for: \.value)
            return super.value
        }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}

final class NotifyingBox<Value>: Box<Value>, NotifyingSubclass {
    override var value: Value {
        get {
            accessValue(for: \.value)
            return super.value
        }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}

/// What was delivered to a test, as text: "prior 0→·, 0→1".
final class Log {
    private var lines: [String] = []

    func add(_ line: String) { lines.append(line) }

    func add<Value>(_ change: KeyValueObservedChange<Value>) {
        func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "·" }
        let kind = change.kind == .setting ? "" : "\(change.kind) "
        lines.append((change.isPrior ? "prior " : "") + kind + text(change.oldValue) + "→" + text(change.newValue))
    }

    /// What was delivered since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// Lets go of an object that was elsewhere, so that the compiler does not put it on the stack.
func letGo(_ object: consuming AnyObject) {
    let holder = Guarded<AnyObject?>(object)
    holder.withLock { $0 = nil }
}

/// Passes an object to another thread; the test guards what must be guarded.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}

/// Runs a body on so many threads at once.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}

/// Whether this is the build of `Scripts/test-threads`.
#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
let isUnderThreadSanitizer = true
#else
let isUnderThreadSanitizer = false
#endif
