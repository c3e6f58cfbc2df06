// What a path depends on, transition by transition.
import KeyValueObserving
import Testing

@Suite("5.1 6.2 What a path depends on")
struct DependenciesTests {
    private final class Property {}

    private typealias Properties = Dependencies<Property>

    private let x = Property()
    private let y = Property()
    private let z = Property()

    /// What depends on some properties, found by one evaluation.
    private func known(_ properties: Property...) -> Properties {
        var dependencies = Properties()
        let start = dependencies.begin(isRelying: true)
        let all = ContiguousArray(properties)
        _ = dependencies.end(start, read: DistinctObjects(all), attached: all, areDeclared: false)
        return dependencies
    }

    @Test("6.2 An evaluation expects what the last one read, unless it relies on nothing or something is declared")
    func expected() {
        var dependencies = Properties()
        #expect(!dependencies.isKnown)
        dependencies = known(x, y)
        #expect(dependencies.isKnown)
        let relying = dependencies.begin(isRelying: true)
        #expect(isSame(relying.expected, [x, y]) && relying.isRelying)
        let free = dependencies.begin(isRelying: false)
        #expect(free.expected.isEmpty && !free.isRelying)
        _ = dependencies.end(free, read: DistinctObjects([x]), attached: [x], areDeclared: true)
        #expect(dependencies.areDeclared)
        let declared = dependencies.begin(isRelying: true)
        #expect(declared.expected.isEmpty && !declared.isRelying)
        _ = dependencies.end(declared, read: DistinctObjects([x]), attached: [x], areDeclared: false)
        #expect(!dependencies.areDeclared)
    }

    @Test("6.2 What was read as expected changes nothing")
    func asExpected() {
        var dependencies = known(x, y)
        #expect(dependencies.end(asExpected: dependencies.begin(isRelying: true)) == .unchanged)
        #expect(isSame(dependencies.properties, [x, y]))
    }

    @Test("6.2 What is read anew is attached, and what is read no more is detached")
    func changed() {
        var dependencies = known(x, y)
        let start = dependencies.begin(isRelying: true)
        let (outcome, stale) = dependencies.end(
            start, read: DistinctObjects([x, z]), attached: [z], areDeclared: false)
        #expect(outcome == .changed)
        #expect(isSame(stale, [y]))
        #expect(isSame(dependencies.properties, [x, z]))
    }

    @Test("6.2 What is read in another order was attached once more")
    func reordered() {
        var dependencies = known(x, y)
        let start = dependencies.begin(isRelying: true)
        let (outcome, stale) = dependencies.end(
            start, read: DistinctObjects([y, x]), attached: [y, x], areDeclared: false)
        #expect(outcome == .changed)
        #expect(isSame(stale, [y, x]))
    }

    @Test("6.2 An evaluation that relied on nothing has all that was attached before detached")
    func relyingOnNothing() {
        var dependencies = known(x, y)
        let start = dependencies.begin(isRelying: false)
        let (outcome, stale) = dependencies.end(
            start, read: DistinctObjects([x]), attached: [x], areDeclared: false)
        #expect(outcome == .changed)
        #expect(isSame(stale, [x, y]))
    }

    @Test("6.2 An evaluation that ends after a newer one is too late")
    func superseded() {
        var dependencies = known(x)
        let (older, other) = (dependencies.begin(isRelying: true), dependencies.begin(isRelying: false))
        #expect(dependencies.end(asExpected: dependencies.begin(isRelying: true)) == .unchanged)
        #expect(dependencies.end(asExpected: older) == .superseded)
        let (outcome, stale) = dependencies.end(other, read: DistinctObjects([z]), attached: [z], areDeclared: false)
        #expect(outcome == .superseded)
        #expect(isSame(stale, [z]))
        #expect(isSame(dependencies.properties, [x]))
    }

    @Test("6.2 An evaluation is made again if another one has replaced what it relied on")
    func outdated() {
        for isAsExpected in [true, false] {
            var dependencies = known(x)
            let other = dependencies.begin(isRelying: true)
            let relying = dependencies.begin(isRelying: true)
            let free = dependencies.begin(isRelying: false)
            _ = dependencies.end(other, read: DistinctObjects([y]), attached: [y], areDeclared: false)
            if isAsExpected {
                #expect(dependencies.end(asExpected: relying) == .outdated)
            } else {
                let (outcome, stale) = dependencies.end(
                    relying, read: DistinctObjects([x, z]), attached: [z], areDeclared: false)
                #expect(outcome == .outdated)
                #expect(isSame(stale, [z]))
            }
            // One that relies on nothing is right all the same.
            let (outcome, stale) = dependencies.end(
                free, read: DistinctObjects([x]), attached: [x], areDeclared: false)
            #expect(outcome == .changed)
            #expect(isSame(stale, [y]))
        }
    }

    @Test("1.6 After the end nothing is depended on")
    func end() {
        var dependencies = known(x, y)
        let (relying, other) = (dependencies.begin(isRelying: true), dependencies.begin(isRelying: false))
        #expect(!dependencies.isEnded)
        #expect(isSame(dependencies.end(), [x, y]))
        #expect(dependencies.isEnded)
        #expect(dependencies.properties.isEmpty)
        #expect(dependencies.end(asExpected: relying) == .superseded)
        let (outcome, stale) = dependencies.end(other, read: DistinctObjects([z]), attached: [z], areDeclared: false)
        #expect(outcome == .superseded)
        #expect(isSame(stale, [z]))
    }

    private func isSame(_ left: ContiguousArray<Property>, _ right: [Property]) -> Bool {
        left.elementsEqual(right, by: ===)
    }
}
