// Notifying subclasses of the classes of another module, and what the tests note.
import ForeignClasses
import Foundation
import KeyValueObserving
import KeyValueObservingSwizzling

extension NotifyingSubclass {
    /// Reports that a property is read, and then reads it.
    func read<Value>(
        _ keyPath: KeyPath<Self, Value>, name: StaticString = #function, _ value: @autoclosure () -> Value
    ) -> Value {
        accessValue(for: keyPath, name: name)
        return value()
    }
}

final class NotifyingBook: Book, NotifyingSubclass {
    override var title: String {
        get { read(\.title, super.title) }
        set { changeValue(for: \.title) { super.title = newValue } }
    }

    override var pages: Int {
        get { read(\.pages, super.pages) }
        set { changeValue(for: \.pages) { super.pages = newValue } }
    }

    override var tags: [String] {
        get { read(\.tags, super.tags) }
        set { changeValue(for: \.tags) { super.tags = newValue } }
    }

    override var author: Author? {
        get { read(\.author, super.author) }
        set { changeValue(for: \.author) { super.author = newValue } }
    }

    override var notes: [String] { read(\.notes, super.notes) }

    override func add(note: String) { changeValue(for: \.notes) { super.add(note: note) } }

    var label: String { "\(title), \(pages) pages, by \(author?.name ?? "nobody")" }
}

final class OtherNotifyingBook: Book, NotifyingSubclass {}

final class NotifyingAuthor: Author, NotifyingSubclass {
    override var name: String {
        get { read(\.name, super.name) }
        set { changeValue(for: \.name) { super.name = newValue } }
    }
}

final class NotifyingEnding: Ending, NotifyingSubclass {
    override var value: Int {
        get { read(\.value, super.value) }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}

/// A class of its own for each type.
final class LateEnding<Tag>: Ending, NotifyingSubclass {
    override var value: Int {
        get { read(\.value, super.value) }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}

final class NotifyingBox<Value>: Box<Value>, NotifyingSubclass {
    override var value: Value {
        get { read(\.value, super.value) }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}

/// Releases an object held by another reference, so that the compiler does not put it on the stack.
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
