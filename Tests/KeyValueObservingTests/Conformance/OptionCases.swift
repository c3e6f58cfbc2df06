// Conformance cases of group 2: what the options add to a change.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 2: options")
struct OptionCases {
    private let sample = Sample()
    private let watcher = Watcher()

    @Test("#42 With old alone, a nil before is present and nil, and new is absent (2.2)")
    func captureOld() throws {
        var changes: [KeyValueObservedChange<String?>] = []
        let token = sample.observe(\.text, options: .old) { changes.append($1) }
        sample.text = "Hello"
        #expect(changes.count == 1)
        let change = try #require(changes.first)
        #expect(change.oldValue == .some(nil))
        #expect(change.newValue == .none)
        withExtendedLifetime(token) {}
    }

    @Test("#43 A number arrives as its own type")
    func number() {
        var told: [UInt32?] = []
        let token = sample.observe(\.number, options: .new) { told.append($1.newValue) }
        sample.number = 10
        #expect(told == [10])
        withExtendedLifetime(token) {}
    }

    @Test("#45 With prior and old there are two deliveries, both with the old value")
    func prior() {
        watcher.watch(sample, \.text, [.old, .prior])
        sample.text = "Hello"
        #expect(watcher.take() == ["prior nil→·", "nil→·"])
    }

    @Test("#46 A property that does not notify by itself still delivers its initial value (4.2)")
    func initialOfSilentProperty() {
        var kinds: [KeyValueChange] = []
        let token = sample.observe(\.silent, options: .initial) { kinds.append($1.kind) }
        #expect(kinds == [.setting])
        sample.silent = 1
        sample.silent += 1
        #expect(kinds == [.setting])
        withExtendedLifetime(token) {}
    }

    @Test("#47 Initial values of three paths are delivered before each registration returns (1.3, 2.4)")
    func initialOfPaths() {
        sample.child = Sample("c")
        watcher.watch(sample, \.child?.text, as: "text", [.initial, .new])
        #expect(watcher.take() == ["text ·→nil"])
        watcher.watch(sample, \.child?.number, as: "number", [.initial, .new])
        #expect(watcher.take() == ["number ·→0"])
        watcher.watch(sample, \.child?.derived, as: "derived", [.initial, .new, .old])
        #expect(watcher.take() == ["derived ·→nil"])
    }

    @Test("#49 Observing several elements with initial delivers the value of each once")
    func initialOfElements() {
        let samples = (0..<5).map { Sample("\($0)") }
        for sample in samples[1...3] { watcher.watch(sample, \.number, as: "\(sample)", [.initial, .new]) }
        #expect(watcher.take() == ["1 ·→0", "2 ·→0", "3 ·→0"])
    }

    @Test("#50 A prior change has old and never new; the change that follows is the same as without prior (2.4)")
    func priorAndPost() {
        watcher.watch(sample, \.number, as: "with", [.prior, .old, .new])
        watcher.watch(sample, \.number, as: "without", [.old, .new])
        sample.number = 1
        #expect(watcher.take() == ["with prior 0→·", "with 0→1", "without 0→1"])
    }

    @Test("#51 Prior alone delivers the change before it is made, and after")
    func priorAlone() {
        watcher.watch(sample, \.number, .prior)
        sample.number = 1
        #expect(watcher.take() == ["prior ·→·", "·→·"])
    }

    @Test("#54 The initial value of a to-many property is the whole, without indexes")
    func initialOfArray() {
        let person = Person()
        person.tags = ["b"]
        var changes: [KeyValueObservedChange<[String]>] = []
        let token = person.observe(\.tags, options: [.initial, .new]) { changes.append($1) }
        #expect(changes.map(\.kind) == [.setting])
        #expect(changes.map(\.newValue) == [["b"]])
        #expect(changes.map(\.indexes) == [nil])
        withExtendedLifetime(token) {}
    }

    @Test("#55 An optional that stays nil notifies, and nil differs from absent (2.2, 2.5)")
    func optional() {
        var changes: [KeyValueObservedChange<String?>] = []
        let token = sample.observe(\.text, options: [.initial, .old, .new]) { changes.append($1) }
        sample.text = nil
        sample.text = "foo"
        #expect(changes.map(\.oldValue) == [.none, .some(nil), .some(nil)])
        #expect(changes.map(\.newValue) == [.some(nil), .some(nil), .some("foo")])
        withExtendedLifetime(token) {}
    }

    @Test("#57 An optional number goes from nil to numbers and back")
    func optionalNumber() {
        let address = Address()
        var changes: [KeyValueObservedChange<Int?>] = []
        let token = address.observe(\.zip, options: [.initial, .old, .new]) { changes.append($1) }
        address.zip = 42
        address.zip = 84
        address.zip = nil
        #expect(changes.map(\.oldValue) == [.none, .some(nil), 42, 84])
        #expect(changes.map(\.newValue) == [.some(nil), 42, 84, .some(nil)])
        withExtendedLifetime(token) {}
    }

    @Test("#59 The values of an enumeration are its cases")
    func enumeration() {
        enum Mood: Int {
            case glad, sad
        }
        final class Moody: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var mood = Mood.glad
        }
        let moody = Moody()
        var moods: [Mood?] = []
        let token = moody.observe(\.mood, options: [.old, .new]) { moods += [$1.oldValue, $1.newValue] }
        moody.mood = .sad
        moody.mood = .glad
        #expect(moods == [.glad, .sad, .sad, .glad])
        withExtendedLifetime(token) {}
    }

    @Test("#60 Without options only the kind is delivered; observers who ask are given one reading (2.1, 2.3)")
    func noOptions() {
        /// Counts who reads its age.
        final class Read: Person {
            let reads = Counter()
            override var age: Int {
                get {
                    reads.add()
                    return super.age
                }
                set { super.age = newValue }
            }
        }
        let read = Read()
        let person: Person = read
        let token = watcher.watch(person, \.age)
        person.age = 1
        #expect(watcher.take() == ["·→·"])
        // An override is read after each change, to be followed; those who ask cost no further reading.
        watcher.watch(person, \.age, .new)
        watcher.watch(person, \.age, .new)
        _ = read.reads.take()
        person.age = 2
        #expect(watcher.take() == ["·→·", "·→2", "·→2"])
        #expect(read.reads.take() == 1)
        withExtendedLifetime(token) {}
    }

    @Test("#62 Prior and initial of a property whose setter transforms its value")
    func transformed() {
        let renamed = Renamed()
        watcher.watch(renamed, \.name, [.prior, .old, .new])
        renamed.name = "bob"
        #expect(watcher.take() == ["prior nil→·", "nil→set_bob"])
        watcher.stop()

        let paul = Renamed(alreadyNamed: "paul")
        let token = watcher.watch(paul, \.name, [.initial, .old, .new])
        #expect(watcher.take() == ["·→paul"])
        token.invalidate()
        paul.name = "bob"
        #expect(watcher.take() == [])
    }

    @Test("#63 A flag that is toggled delivers both values; initially there is no old")
    func toggle() {
        watcher.watch(sample, \.firstTrigger, [.initial, .old, .new])
        #expect(watcher.take() == ["·→false"])
        sample.firstTrigger.toggle()
        #expect(watcher.take() == ["false→true"])
    }

    @Test("#64 An entry of a dictionary is observed by its key, and delivers its value initially")
    func dictionaryEntry() {
        final class Book: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var entries = ["bob": 1]
        }
        let book = Book()
        watcher.watch(book, \.entries["bob"], [.initial, .old, .new])
        #expect(watcher.take() == ["·→1"])
        book.entries["bob"] = 2
        book.entries["bob"] = nil
        #expect(watcher.take() == ["1→2", "2→nil"])
    }

    @Test("#66 Options and kinds have the raw values of Cocoa")
    func rawValues() {
        let options: [KeyValueObservingOptions] = [.new, .old, .initial, .prior]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8])
        let kinds: [KeyValueChange] = [.setting, .insertion, .removal, .replacement]
        #expect(kinds.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test("#67 What one registration asked for does not reach another, on properties and on paths")
    func optionsDoNotLeak() {
        sample.child = Sample("c")
        for keyPath in [\Sample.text, \Sample.child?.text, \Sample.derived] {
            watcher.watch(sample, keyPath, as: "a", [.old, .new])
            watcher.watch(sample, keyPath, as: "b", .new)
        }
        sample.text = "x"
        #expect(
            watcher.take() == ["a nil→x", "b ·→x", "a nil→!!!x!!!", "b ·→!!!x!!!"])
        sample.child?.text = "y"
        #expect(watcher.take() == ["a nil→y", "b ·→y"])
    }

    @Test("#68 An observer may end its registration while it gets the initial value")
    func endInsideInitial() {
        let screen = Spectator()
        screen.kvo.observe(sample, \.text, options: [.initial, .new]) { screen, sample, change in
            screen.log.add(change)
            screen.kvo.unobserve(sample, \.text)
        }
        #expect(screen.log.take() == ["·→nil"])
        sample.text = "a"
        #expect(screen.log.take() == [])
        #expect(sample.observationInfo.isEmpty)
    }

    @Test("#69 After it was ended inside its initial call, a registration leaves nothing behind")
    func endInsideInitialReleasesHandler() {
        final class Captured {}
        let screen = Spectator()
        weak var captured: Captured?
        do {
            let held = Captured()
            captured = held
            screen.kvo.observe(sample, \.derived, options: .initial) { screen, sample, change in
                withExtendedLifetime(held) { screen.log.add(change) }
                screen.kvo.unobserve(sample)
            }
        }
        #expect(screen.log.take() == ["·→·"])
        #expect(captured == nil)
        sample.text = "a"
        #expect(screen.log.take() == [])
    }
}
