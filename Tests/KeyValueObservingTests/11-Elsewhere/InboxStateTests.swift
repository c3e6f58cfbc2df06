// The transitions of an inbox, one by one: 11.1, 11.2, 11.4, 11.5 and 9.3.
import KeyValueObserving
import Testing

@Suite("11 12.4 The transitions of an inbox")
struct InboxStateTests {
    fileprivate typealias State = InboxState<Int>

    private static func state(
        _ policy: KeyValueBufferingPolicy = .unbounded, _ options: KeyValueObservingOptions = [.old, .new]
    ) -> State {
        State(policy, options, ofWholes: false, keepingTold: [true])
    }

    private static func setting(_ old: Int?, _ new: Int) -> KeyValueObservedChange<Int> {
        KeyValueObservedChange(kind: .setting, newValue: new, oldValue: old, keyPath: \Int.self)
    }

    /// Takes a change, as text.
    private static func take(_ state: inout State) -> String {
        switch state.take() {
        case .change(let change, _, _): "\(change.oldValue.map { "\($0)" } ?? "·")→\(change.newValue ?? -1)"
        case .nothing: "nothing"
        case .over: "over"
        }
    }

    @Test("11.1 The delivery begins with the first change, and again only after it has found nothing")
    func beginning() {
        var state = Self.state()
        #expect(!state.open([.init()]).begins)
        #expect(state.add(Self.setting(0, 1), whole: 1).begins)
        #expect(!state.add(Self.setting(1, 2), whole: 2).begins)
        #expect(Self.take(&state) == "0→1" && Self.take(&state) == "1→2")
        #expect(!state.add(Self.setting(2, 3), whole: 3).begins)
        #expect(Self.take(&state) == "2→3" && Self.take(&state) == "nothing")
        #expect(state.add(Self.setting(3, 4), whole: 4).begins)
        #expect(Self.take(&state) == "3→4" && Self.take(&state) == "nothing")
    }

    @Test("11.3 Nothing is delivered before the registration has been made; then the initial value is the first")
    func opening() {
        var state = Self.state()
        #expect(!state.add(Self.setting(0, 1), whole: 1).begins)
        #expect(state.open([.init(initial: Self.setting(nil, 0), value: nil)]).begins)
        #expect(!state.open([.init(initial: Self.setting(nil, 5), value: nil)]).begins)
        #expect(Self.take(&state) == "·→0" && Self.take(&state) == "0→1" && Self.take(&state) == "nothing")
        // It is open already.
        #expect(
            !state.open([.init(initial: Self.setting(nil, 6), value: nil)]).begins && Self.take(&state) == "nothing")
    }

    @Test("11.4 Where the newest are dropped before the initial value, the next old value is from before them")
    func droppedBeforeOpening() {
        var state = Self.state(.oldest(2))
        for number in 1...3 { _ = state.add(Self.setting(number - 1, number), whole: number) }
        #expect(state.lanes[0].droppedCount == 1)
        _ = state.open([.init(initial: Self.setting(nil, 0), value: nil)])
        #expect(state.lanes[0].droppedCount == 2)
        #expect(Self.take(&state) == "·→0" && Self.take(&state) == "0→1" && state.lanes[0].deliveredCount == 2)
        _ = state.add(Self.setting(3, 4), whole: 4)
        #expect(Self.take(&state) == "1→4" && Self.take(&state) == "nothing" && state.lanes[0].deliveredCount == 3)
    }

    @Test("11.4 A change that came before the registration was made is known, whatever was read meanwhile")
    func readBeforeOpening() throws {
        var state = InboxState<[Int]>(.oldest(1), [.old, .new], ofWholes: false, keepingTold: [true])
        let setting = KeyValueObservedChange(kind: .setting, newValue: [1], oldValue: [0], keyPath: \[Int].self)
        _ = state.add(setting, whole: [1])
        _ = state.open([.init(value: [0])])
        func insert(_ number: Int, whole: [Int]) {
            let change = KeyValueObservedChange(
                kind: .insertion, newValue: [number], indexes: RangeSet(0..<1), keyPath: \[Int].self)
            _ = state.add(change, whole: whole)
        }
        func take() -> KeyValueObservedChange<[Int]>? {
            if case .change(let change, _, _) = state.take() { change } else { nil }
        }
        insert(2, whole: [2, 1])
        let first = try #require(take())
        insert(3, whole: [3, 2, 1])
        let second = try #require(take())
        #expect(first.newValue == [1])
        #expect(second.kind == .setting && second.oldValue == [1] && second.newValue == [3, 2, 1])
    }

    // MARK: What is kept, and where it is released

    private static let policies: [KeyValueBufferingPolicy] = [
        .unbounded, .newest(1), .newest(2), .oldest(1), .oldest(2),
    ]

    @Test("9.3 11.4 Whatever happens, no value dies in a transition, and none is kept longer than it is needed")
    func deaths() {
        for policy in Self.policies {
            for options in [.old, .new, [.old, .new]] as [KeyValueObservingOptions] {
                for (isOfWholes, isTracking) in [(false, false), (true, false), (false, true)]
                where !isTracking || options.contains(.old) {
                    // Each digit of the number to the base of four says what happens next.
                    for sequence in 0..<64 {
                        var course = Course(policy, options, isOfWholes, isTracking)
                        if let problem = course.follow(sequence) {
                            Issue.record("\(policy) \(options) \(isOfWholes) \(isTracking) \(sequence): \(problem)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("9.3 Where only old values are asked for, no new one is kept")
    func newValueOfSetting() {
        let deaths = Deaths()
        var state = InboxState<Mortal>(.newest(1), .old, ofWholes: false, keepingTold: [false])
        _ = state.open([.init()])
        let change = KeyValueObservedChange(
            kind: .setting, newValue: nil, oldValue: Mortal(deaths), keyPath: \Mortal.self)
        _ = state.add(change, whole: Mortal(deaths))
        #expect(deaths.count == 1)
        withExtendedLifetime(change) {}
    }
}

/// What happened to the values of a test.
private final class Deaths {
    var made = 0
    var count = 0
}

private final class Mortal {
    private let deaths: Deaths

    init(_ deaths: Deaths) {
        self.deaths = deaths
        deaths.made += 1
    }

    deinit { deaths.count += 1 }
}

/// An inbox, and what becomes of it; every value is another object.
private struct Course {
    private let deaths = Deaths()
    private var state: InboxState<Mortal>
    private let options: KeyValueObservingOptions
    private let isTracking: Bool
    private var problem: String?

    init(
        _ policy: KeyValueBufferingPolicy, _ options: KeyValueObservingOptions, _ isOfWholes: Bool, _ isTracking: Bool
    ) {
        state = InboxState(policy, options, ofWholes: isOfWholes, keepingTold: [isTracking])
        self.options = options
        self.isTracking = isTracking
    }

    /// Makes what a number says, and says what is wrong.
    mutating func follow(_ sequence: Int) -> String? {
        let opensLate = sequence.isMultiple(of: 3)
        if !opensLate { open(hasInitial: false) }
        var rest = sequence
        while rest > 0 {
            switch rest % 4 {
            case 0: take()
            case 1: add(.setting)
            default: add(.insertion)
            }
            rest /= 4
        }
        if opensLate { open(hasInitial: sequence.isMultiple(of: 2)) }
        // Closes the gap, if there is one.
        take()
        add(.insertion)
        while take() {}
        if !isTracking, deaths.count < deaths.made { note("a value is kept though nothing waits") }
        for kind in [.setting, .insertion, .insertion] as [KeyValueChange] { add(kind) }
        transition { $0.end() }
        if deaths.count < deaths.made { note("a value is kept after the end") }
        return problem
    }

    private mutating func add(_ kind: KeyValueChange) {
        let isSetting = kind == .setting
        let change = KeyValueObservedChange(
            kind: kind, newValue: options.contains(.new) ? Mortal(deaths) : nil,
            oldValue: options.contains(.old) && isSetting ? Mortal(deaths) : nil,
            indexes: isSetting ? nil : RangeSet(0..<1), keyPath: \Mortal.self)
        let whole = isSetting ? change.newValue ?? Mortal(deaths) : Mortal(deaths)
        transition { $0.add(change, whole: whole) }
    }

    private mutating func open(hasInitial: Bool) {
        let initial = KeyValueObservedChange(
            kind: .setting, newValue: options.contains(.new) ? Mortal(deaths) : nil, keyPath: \Mortal.self)
        let whole = Mortal(deaths)
        transition { $0.open([.init(initial: hasInitial ? initial : nil, value: whole)]) }
    }

    @discardableResult
    private mutating func take() -> Bool {
        let before = state.lanes[0].deliveredCount
        transition { $0.take() }
        return state.lanes[0].deliveredCount > before
    }

    /// Makes a transition, in which nothing may die: what it returns is released after it.
    private mutating func transition<Result>(_ body: (inout InboxState<Mortal>) -> Result) {
        let before = deaths.count
        let result = body(&state)
        if deaths.count > before { note("a value dies in a transition") }
        withExtendedLifetime(result) {}
    }

    private mutating func note(_ problem: String) { self.problem = self.problem ?? problem }
}
