// Declared dependencies count wherever the property is read: 5.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5.1 Declared dependencies")
struct DeclaredDependencyTests {
    private let author = Author()
    private let log = Log()

    @Test("5.1 At the root")
    func root() {
        let token = author.observe(\.fullName, options: [.old, .new]) { log.add($1) }
        author.rename("Ada")
        author.last = "Lovelace"
        #expect(log.take() == [" →Ada ", "Ada →Ada Lovelace"])
        withExtendedLifetime(token) {}
    }

    // #125
    @Test("5.1 Of a stored property, which is notified of its own changes too")
    func ofAStoredProperty() {
        let dial = Dial()
        let token = dial.observe(\.position, options: [.old, .new]) { log.add($1) }
        dial.offset = 1
        dial.position = 2
        #expect(log.take() == ["0→0", "0→2"])
        withExtendedLifetime(token) {}
    }

    @Test("5.1 Behind a path, and only while the path leads there")
    func behindAPath() {
        let book = Book()
        let token = book.observe(\.author?.fullName, options: [.old, .new]) { log.add($1) }
        book.author = author
        author.rename("Ada")
        #expect(log.take() == ["nil→ ", " →Ada "])
        book.author = nil
        author.rename("Grace")
        #expect(log.take() == ["Ada →nil"])
        withExtendedLifetime(token) {}
    }

    // #126
    @Test("5.1 Inside another getter, also one of another object")
    func insideAGetter() {
        let book = Book()
        book.author = author
        let tokens = [
            author.observe(\.title, options: [.old, .new]) { log.add($1, as: "title") },
            book.observe(\.label, options: [.old, .new]) { log.add($1, as: "label") },
        ]
        author.rename("Ada")
        #expect(log.take() == ["title by  →by Ada ", "label by  →by Ada "])
        book.author = nil
        author.rename("Grace")
        #expect(log.take() == ["label by Ada →nobody", "title by Ada →by Grace "])
        withExtendedLifetime(tokens) {}
    }

    @Test("5.1 Inside the getter of a subclass, which adds its own")
    func subclasses() {
        let doctor = Doctor()
        let book = Book()
        book.author = doctor
        let tokens = [
            doctor.observe(\.title, options: .new) { log.add($1, as: "title") },
            book.observe(\.author?.fullName, options: .new) { log.add($1, as: "path") },
        ]
        doctor.rename("Ada")
        doctor.promote("Dr. ")
        #expect(
            log.take() == ["title ·→by Ada ", "path ·→Ada ", "title ·→by Dr. Ada ", "path ·→Dr. Ada "])
        withExtendedLifetime(tokens) {}
    }

    // #119
    @Test("5.1 3.1 One delivery for each change, however often the property is read on the way")
    func once() {
        let token = author.observe(\.twice, options: [.old, .new]) { log.add($1) }
        author.rename("Ada")
        #expect(log.take() == [" /by  →Ada /by Ada "])
        withExtendedLifetime(token) {}
    }

    @Test(
        "5.1 A declared @Observed property that notifies manually notifies its own observers too",
        arguments: [false, true])
    func observedProperty(isDependentFirst: Bool) {
        let seal = Seal()
        var tokens: [KeyValueObservation] = []
        if isDependentFirst { tokens.append(seal.observe(\.label, options: [.old, .new]) { log.add($1) }) }
        tokens.append(seal.observe(\.number, options: [.old, .new]) { log.add($1) })
        if !isDependentFirst { tokens.append(seal.observe(\.label, options: [.old, .new]) { log.add($1) }) }
        seal.renumber(1)
        #expect(log.take() == (isDependentFirst ? ["no. 0→no. 1", "0→1"] : ["0→1", "no. 0→no. 1"]))
        withExtendedLifetime(tokens) {}
    }

    @Test("5.1 A manual change notifies those who came after a getter had said that it reads the property")
    func observedAfterReport() {
        expectDeliveries(after: \.parity, ["0→1", "1→2", "first 0→1", "first 1→0"])
    }

    /// Demands what two manual changes of the number deliver, which is observed after another key path.
    private func expectDeliveries(
        after keyPath: KeyPath<Seal, Int>, _ expected: [String], at location: SourceLocation = #_sourceLocation
    ) {
        let seal = Seal()
        let tokens = [
            seal.observe(keyPath, options: [.old, .new]) { log.add($1, as: "first") },
            seal.observe(\.number, options: [.old, .new]) { log.add($1) },
        ]
        seal.renumber(1)
        seal.renumber(2)
        #expect(log.take().sorted() == expected.sorted(), sourceLocation: location)
        withExtendedLifetime(tokens) {}
    }

    @Test("5.1 A declared property that is announced counts, whatever its class says of how it notifies")
    func announcedOnly() {
        let ledger = Ledger()
        let token = ledger.observe(\.label, options: [.old, .new]) { log.add($1) }
        ledger.changeValue(for: \.total) { ledger.total = 5 }
        #expect(log.take() == ["0 in all→5 in all"])
        withExtendedLifetime(token) {}
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
