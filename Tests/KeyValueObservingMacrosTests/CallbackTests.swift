// Methods that are called when properties change.
import KeyValueObserving
import KeyValueObservingMacros
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Callbacks by convention")
struct CallbackTests {
    private let person = Person()

    @Test("A10 20.4 A method is called in each of the four shapes")
    func shapes() {
        let screen = Screen()
        screen.observe(person)
        person.age = 1
        #expect(screen.take() == ["new 1", "new 1 old 0", "source 1 new 1", "source 1 new 1 old 0"])
        person.age = 1
        #expect(screen.take().count == 4)
    }

    @Test("A11 20.4 What the class declares for a type observes its objects; a path, an initial and a distinct value")
    func sources() {
        let screen = Mixer()
        let document = Document(name: "a", root: person)
        person.friend = Person()
        screen.observe(person)
        #expect(screen.take() == ["friend 0"])
        screen.observe(document)
        document.pages = [1]
        person.friend?.age = 3
        document.items = [2]
        for name in ["b", "b"] { document.name = name }
        #expect(screen.take() == ["pages [1]", "friend 3", "items [2]", "name b"])
    }

    @Test("A10 Observing the same object again calls each method once")
    func again() {
        let screen = Controlled()
        screen.observe(person)
        screen.observe(person)
        person.age = 2
        #expect(screen.ages == [2])
    }

    @Test("A10 14.2 An owner keeps the registrations itself, and its death ends them")
    func owner() {
        var owner: Owner? = Owner()
        owner?.observe(person)
        person.age = 2
        #expect(owner?.ages == [2])
        owner?.stopObserving(person)
        person.age = 3
        #expect(owner?.ages == [2])
        owner?.observe(person)
        #expect(person.observationInfo.count == 1)
        owner = nil
        #expect(person.observationInfo.isEmpty)
    }

    @Test("A10 B4 With the controller that the macro adds, nothing is left when the observer dies")
    func death() {
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        screen?.observe(person)
        screen = nil
        #expect(weakScreen == nil)
        person.age = 1
        #expect(person.observationInfo.isEmpty)
    }

    @Test("A10 An observable class observes itself with its callbacks")
    func itself() {
        let counter = Counter()
        counter.observe(counter)
        counter.value = 3
        #expect(counter.total == 3)
    }
}

@KeyValueCallbacks
private final class Screen {
    private var lines: [String] = []

    @WhenChanged(\Person.age) private func first(_ new: Int) { lines.append("new \(new)") }
    @WhenChanged(\Person.age) func second(_ new: Int, old: Int) { lines.append("new \(new) old \(old)") }
    @WhenChanged(\Person.age) func third(_ person: Person, new: Int) { lines.append("source \(person.age) new \(new)") }
    @WhenChanged(\Person.age)
    func fourth(in person: Person, newAge: Int, oldAge: Int) {
        lines.append("source \(person.age) new \(newAge) old \(oldAge)")
    }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

@KeyValueCallbacks
private final class Mixer {
    private var lines: [String] = []

    @WhenChanged(\Person.friend?.age, initial: true)
    func friendDidChange(_ new: Int?) { lines.append("friend \(new ?? -1)") }
    @WhenChanged(\Document.pages)
    func pagesDidChange(_ new: [Int]) { lines.append("pages \(new)") }
    @WhenChanged(\Document.items) func changed(_ new: [Int]) { lines.append("items \(new)") }
    @WhenChanged(\Document.name, distinct: true) func changed(_ new: String) { lines.append("name \(new)") }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

@KeyValueCallbacks
private final class Controlled {
    private(set) lazy var changes = KVOController(observer: self)
    var ages: [Int] = []
    @WhenChanged(\Person.age) func ageDidChange(_ new: Int) { ages.append(new) }
}

@KeyValueCallbacks
private final class Owner: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
    var ages: [Int] = []
    @WhenChanged(\Person.age) func ageDidChange(_ new: Int) { ages.append(new) }
}

@KeyValueObservable
@KeyValueCallbacks
private final class Counter {
    var value = 0
    @NotObserved var total = 0
    @WhenChanged(\Counter.value) func valueDidChange(_ new: Int) { total += new }
}
