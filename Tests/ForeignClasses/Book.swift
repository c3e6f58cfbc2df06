// Classes as other packages have them, which know nothing of this library.

/// A class with properties that can be overridden elsewhere, and some that cannot.
open class Book: Hashable {
    /// What it is called.
    open var title: String
    /// How many pages it has.
    open var pages = 0
    /// What it is about.
    open var tags: [String] = []
    /// Who wrote it.
    open var author: Author?
    /// Where it stands; not open, so that no other module can override it.
    public var shelf = ""
    /// How many there are; no class can override it.
    public final var copies = 0
    private var storedNotes: [String] = []
    /// What readers said.
    open var notes: [String] { storedNotes }

    /// A book without pages.
    public init(title: String = "", author: Author? = nil) {
        self.title = title
        self.author = author
    }

    /// Sets a property as anybody does.
    public func tearOut(_ count: Int) { pages -= count }

    /// Writes what is behind a property.
    open func add(note: String) { storedNotes.append(note) }

    /// Books are equal if they have the same title.
    public static func == (left: Book, right: Book) -> Bool { left.title == right.title }

    /// Hashes the title.
    public func hash(into hasher: inout Hasher) { hasher.combine(title) }
}

/// What a book leads to.
open class Author {
    /// What the author is called.
    open var name: String

    /// An author with a name.
    public init(name: String) {
        self.name = name
    }
}

/// A subclass of one's dependency.
open class Novel: Book {}

/// A generic class.
open class Box<Value> {
    /// What is in it.
    open var value: Value

    /// A box with something in it.
    public init(_ value: Value) {
        self.value = value
    }
}

/// Does something when it ends.
open class Ending {
    /// A property.
    open var value = 0
    private let atEnd: (Ending) -> Void

    /// An object that calls a function in its `deinit`.
    public init(atEnd: @escaping (Ending) -> Void) {
        self.atEnd = atEnd
    }

    deinit { atEnd(self) }
}

/// Ends on the main actor.
@MainActor
open class View {
    /// A property.
    open var title = ""
    private let atEnd: @MainActor (View) -> Void

    /// An object that calls a function in its `deinit`.
    public init(atEnd: @escaping @MainActor (View) -> Void) {
        self.atEnd = atEnd
    }

    isolated deinit { atEnd(self) }
}

/// Sets a property in this module, where nobody knows of subclasses.
@inline(never)
public func rename(_ book: Book, to title: String) { book.title = title }

/// Changes a property in place.
@inline(never)
public func addPage(to book: Book) { book.pages += 1 }

/// Changes an array in place.
@inline(never)
public func tag(_ book: Book, _ tag: String) { book.tags.append(tag) }
