// Declared dependencies count wherever the property is read: 5.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5.1 Declared dependencies")
struct DeclaredDependencyTests {
    private let author = Author()
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    // #119
    @Test("5.1 3.1 At the root, once for each change, however often the property is read on the way")
    func root() {
        watcher.watch(author, \.fullName)
        watcher.watch(author, \.twice)
        author.rename("Ada")
        author.last = "L"
        #expect(log.take() == [" →Ada ", " /by  →Ada /by Ada ", "Ada →Ada L", "Ada /by Ada →Ada L/by Ada L"])
    }

    // #125
    @Test("5.1 Of a stored property, which is notified of its own changes too")
    func ofAStoredProperty() {
        let dial = Dial()
        watcher.watch(dial, \.position)
        dial.offset = 1
        dial.position = 2
        #expect(log.take() == ["0→0", "0→2"])
    }

    // #126
    @Test("5.1 Behind a path, and inside another getter, also of another object, while these lead there")
    func elsewhere() {
        let book = Book()
        watcher.watch(author, \.title, as: "title")
        watcher.watch(book, \.author?.fullName, as: "path")
        watcher.watch(book, \.label, as: "label")
        book.author = author
        author.rename("Ada")
        #expect(
            log.take() == [
                "path nil→ ", "label nobody→by  ", "title by  →by Ada ", "path  →Ada ", "label by  →by Ada ",
            ])
        book.author = nil
        author.rename("Grace")
        #expect(log.take() == ["path Ada →nil", "label by Ada →nobody", "title by Ada →by Grace "])
    }

    @Test("5.1 Inside the getter of a subclass, which adds its own")
    func subclasses() {
        let doctor = Doctor()
        let book = Book()
        book.author = doctor
        watcher.watch(doctor, \.title, as: "title", .new)
        watcher.watch(book, \.author?.fullName, as: "path", .new)
        doctor.rename("Ada")
        doctor.promote("Dr. ")
        #expect(
            log.take() == ["title ·→by Ada ", "path ·→Ada ", "title ·→by Dr. Ada ", "path ·→Dr. Ada "])
    }

    @Test("5.1 Of each of two objects that are read")
    func two() {
        let other = Author()
        let token = author.observe(reading: { [other] in $0.fullName + other.fullName }, options: .new) { [log] in
            log.add($1)
        }
        other.rename("Ada")
        #expect(log.take() == ["·→ Ada "])
        withExtendedLifetime(token) {}
    }

    @Test(
        "5.1 A declared @Observed property that notifies manually notifies its own observers too",
        arguments: [false, true])
    func observedProperty(isDependentFirst: Bool) {
        let seal = Seal()
        if isDependentFirst { watcher.watch(seal, \.label) }
        watcher.watch(seal, \.number)
        if !isDependentFirst { watcher.watch(seal, \.label) }
        seal.renumber(1)
        #expect(log.take() == (isDependentFirst ? ["no. 0→no. 1", "0→1"] : ["0→1", "no. 0→no. 1"]))
    }

    @Test("5.1 A manual change notifies registrations made after a getter had reported a read of the property")
    func observedAfterReport() {
        let seal = Seal()
        watcher.watch(seal, \.parity, as: "parity")
        watcher.watch(seal, \.number)
        for number in 1...2 { seal.renumber(number) }
        #expect(log.take() == ["parity 0→1", "0→1", "parity 1→0", "1→2"])
    }

    @Test("5.1 A declared property that is announced counts, whatever its class says of how it notifies")
    func announcedOnly() {
        let ledger = Ledger()
        watcher.watch(ledger, \.label)
        ledger.changeValue(for: \.total) { ledger.total = 5 }
        #expect(log.take() == ["0 in all→5 in all"])
    }
}

/// Its number is observed and notifies manually, and its class declares what that affects.
private class Seal: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0

    var label: String {
        accessValue(for: \.label)
        return "no. \(number)"
    }
    /// Says what it reads, although that says so itself.
    var parity: Int {
        accessValue(for: \.number)
        return number % 2
    }

    fileprivate var copy = 0

    func renumber(_ number: Int) {
        willChangeValue(for: \.number)
        self.number = number
        copy = number
        didChangeValue(for: \.number)
    }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Seal.number }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Seal.label ? [\Seal.number] : []
    }
}

private class Author: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var last = ""
    /// Announced by hand, and not seen when it is read.
    fileprivate(set) var first = ""

    /// Says that it is read, so that what is declared to affect it counts inside other getters and behind paths.
    var fullName: String {
        accessValue(for: \.fullName)
        return "\(first) \(last)"
    }
    var title: String { "by \(fullName)" }
    var twice: String { "\(fullName)/\(title)" }

    func rename(_ name: String) {
        willChangeValue(for: \.first)
        first = name
        didChangeValue(for: \.first)
    }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Author.first }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Author.fullName ? [\Author.first] : []
    }
}

private final class Doctor: Author {
    private(set) var degree = ""

    override var fullName: String { degree + super.fullName }

    func promote(_ degree: String) {
        willChangeValue(for: \.degree)
        self.degree = degree
        didChangeValue(for: \.degree)
    }

    override class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \Doctor.degree && super.automaticallyNotifiesObservers(for: keyPath)
    }

    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        let isFullName = keyPath == \Doctor.fullName || keyPath == \Author.fullName
        return super.keyPathsAffectingValue(for: keyPath).union(isFullName ? [\Doctor.degree, \Author.first] : [])
    }
}

private final class Ledger: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    /// Is announced, and not seen when it is read.
    var total = 0
    var label: String { "\(total) in all" }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Ledger.label ? [\Ledger.total] : []
    }
}

private final class Book: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var author: Author?
    var label: String { author?.title ?? "nobody" }
}

private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var position = 0
    @Observed var offset = 0

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Dial.position ? [\Dial.offset] : []
    }
}
