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

/// Lets go of an object that was elsewhere, so that the compiler does not put it on the stack.
func letGo(_ object: consuming AnyObject) {
    let holder = Guarded<AnyObject?>(object)
    holder.withLock { $0 = nil }
}

/// Counts what holds it.
final class Witness {
    var count = 0
}

final class Held {
    private let witness: Witness

    init(_ witness: Witness) {
        self.witness = witness
        witness.count += 1
    }

    deinit { witness.count -= 1 }
}
