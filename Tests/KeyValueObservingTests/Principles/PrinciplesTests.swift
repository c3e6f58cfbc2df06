// The five principles, for everything that can be observed: a stored, a manual and a shared property, a key path through
// an object, a computed property and an expression.
import KeyValueObserving
import TestSupport
import Testing

/// What is observed of a house.
enum PrincipleSubject: CaseIterable, Codable, Sendable {
    case stored, manual, shared, path, computed, expression

    /// An evaluated subject, whose old value is the one last delivered to the registration.
    static let evaluated: [Self] = [.path, .computed, .expression]
    /// What can be announced with `willChangeValue(for:)`: a shared property cannot.
    static let announced: [Self] = [.stored, .manual, .path, .computed, .expression]

    var isEvaluated: Bool { Self.evaluated.contains(self) }
}

@Suite("P1 P2 P3 P4 P5 The five principles")
struct PrinciplesTests {
    private let house = House()
    private let log = Log()

    private func observe(
        _ subject: PrincipleSubject, _ options: KeyValueObservingOptions = [.old, .new], as name: String? = nil,
        then body: @escaping (KeyValueObservedChange<Int>) -> Void = { _ in }
    ) -> KeyValueObservation {
        let handler: (House, KeyValueObservedChange<Int>) -> Void = { [log] _, change in
            log.add(change, as: name)
            body(change)
        }
        return switch subject {
        case .stored: house.observe(\.number, options: options, changeHandler: handler)
        case .manual: house.observe(\.manual, options: options, changeHandler: handler)
        case .shared: house.observe(\.shared, options: options, changeHandler: handler)
        case .path: house.observe(\.lodger.number, options: options, changeHandler: handler)
        case .computed: house.observe(\.sum, options: options, changeHandler: handler)
        case .expression: house.observe(reading: { $0.number + $0.other }, options: options, changeHandler: handler)
        }
    }

    /// Changes what is observed.
    private func set(_ subject: PrincipleSubject, to value: Int) {
        switch subject {
        case .manual: house.manual = value
        case .shared: house.shared = value
        case .path: house.lodger.number = value
        case .stored, .computed, .expression: house.number = value
        }
    }

    /// Changes what is observed, between a will and a did.
    private func announce(_ subject: PrincipleSubject, _ body: () -> Void) {
        switch subject {
        case .manual: house.changeValue(for: \.manual, body)
        case .path: house.lodger.changeValue(for: \.number, body)
        case .stored, .computed, .expression, .shared: house.changeValue(for: \.number, body)
        }
    }

    // MARK: P1 Last delivered

    @Test("P1 The values that a registration sees are one chain", arguments: PrincipleSubject.allCases)
    func chain(_ subject: PrincipleSubject) {
        let token = observe(subject)
        for value in 1...3 { set(subject, to: value) }
        #expect(log.take() == ["0→1", "1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("P1 13.3 After an ignored change old is the last delivered value, and at a property the replaced one")
    func ignored() {
        for subject in PrincipleSubject.allCases {
            let token = observe(subject)
            set(subject, to: 1)
            token.ignoringChanges { set(subject, to: 2) }
            set(subject, to: 3)
            #expect(log.take() == ["0→1", subject.isEvaluated ? "1→3" : "2→3"], "\(subject)")
            token.invalidate()
            set(subject, to: 0)
        }
    }

    @Test("P1 4.3 So it is after a silent change", arguments: [PrincipleSubject.manual, .computed, .expression])
    func silent(_ subject: PrincipleSubject) {
        let token = observe(subject)
        set(subject, to: 1)
        if subject == .manual { house.storedManual = 5 } else { house.silent = 5 }
        set(subject, to: 2)
        #expect(log.take() == ["0→1", subject == .manual ? "5→2" : subject == .computed ? "1→7" : "1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("P1 10.2 10.3 A transaction is one link; a registration made inside begins with the value then")
    func transaction() {
        for subject in PrincipleSubject.allCases {
            var tokens = [observe(subject, as: "early")]
            withKeyValueTransaction {
                set(subject, to: 1)
                tokens.append(observe(subject, as: "late"))
                for value in 2...3 { set(subject, to: value) }
            }
            set(subject, to: 4)
            #expect(log.take() == ["early 0→3", "late 1→3", "early 3→4", "late 3→4"], "\(subject)")
            tokens = []
            set(subject, to: 0)
        }
    }

    @Test(
        "P1 16.1 With .distinct, a value equal to the last delivered one is not delivered",
        arguments: PrincipleSubject.allCases)
    func distinct(_ subject: PrincipleSubject) {
        let token = observe(subject, [.old, .new, .distinct])
        set(subject, to: 1)
        set(subject, to: 1)
        token.ignoringChanges { set(subject, to: 2) }
        set(subject, to: 1)
        #expect(log.take() == ["0→1"])
        set(subject, to: 2)
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("P1 2.3 A path keeps a delivered object weakly")
    func weakly() {
        let token = house.observe(\.guest, options: [.old, .new]) { [log] _, change in
            log.add(
                "\(change.requiredOldValue == nil ? "gone" : "there")→\(change.requiredNewValue == nil ? "nil" : "new")"
            )
        }
        house.storedGuest = House.Lodger()
        house.number = 1
        house.storedGuest = nil
        house.number = 2
        #expect(log.take() == ["gone→new", "gone→nil"])
        withExtendedLifetime(token) {}
    }

    @Test("P1 2.3 A path keeps an object weakly that its handler was called with", arguments: [false, true])
    func weaklyAtTheEnd(_ isShared: Bool) {
        var lodger: House.Lodger? = House.Lodger()
        weak let kept = lodger
        let keyPath = isShared ? \House.garage?.sharedLodger : \House.garage?.lodger
        house.garage = House.Garage()
        let token = house.observe(keyPath, options: [.old, .new]) { [log] _, change in
            log.add(change.requiredNewValue == nil ? "nil" : "lodger")
        }
        func set(_ lodger: House.Lodger?) {
            if isShared { house.garage?.sharedLodger = lodger } else { house.garage?.lodger = lodger }
        }
        set(lodger)
        lodger = nil
        #expect(kept != nil && log.take() == ["lodger"])
        token.ignoringChanges { set(nil) }
        #expect(kept == nil && log.take() == [])
        set(House.Lodger())
        #expect(log.take() == ["lodger"])
    }

    // MARK: P2 One confinement

    @Test(
        "P2 Two threads that change what a registration reads end no program, and leave one chain",
        .disabled(if: isUnderThreadSanitizer, "the test has races of its own"),
        arguments: [PrincipleSubject.computed, .expression])
    func twoThreads(_ subject: PrincipleSubject) async {
        await #expect(processExitsWith: .success) { [subject] in
            let tests = PrinciplesTests()
            let chain = Guarded((last: 0, breaks: 0))
            let token = tests.observe(subject) { change in
                chain.withLock {
                    if change.oldValue != $0.last { $0.breaks += 1 }
                    $0.last = change.newValue ?? 0
                }
            }
            let house = Unchecked(value: tests.house)
            onThreads(2) { thread in
                for round in 1...2_000 {
                    if thread == 0 { house.value.number = round } else { house.value.other = round }
                }
            }
            tests.house.other = 1
            #expect(chain.withLock { $0.last == 2_001 && $0.breaks == 0 })
            withExtendedLifetime(token) {}
        }
    }

    // MARK: P3 One bracket

    // #152
    @Test("P3 3.5 Sets, accesses in place and pairs inside a pair belong to it", arguments: PrincipleSubject.announced)
    func nested(_ subject: PrincipleSubject) {
        let token = observe(subject)
        announce(subject) {
            set(subject, to: 1)
            announce(subject) { set(subject, to: 2) }
            house.number += subject == .manual || subject == .path ? 0 : 1
            #expect(log.take() == [])
        }
        #expect(log.take() == [subject == .manual || subject == .path ? "0→2" : "0→3"])
        withExtendedLifetime(token) {}
    }

    @Test("P3 2.4 So does what is set in a call before the change", arguments: PrincipleSubject.announced)
    func setInPrior(_ subject: PrincipleSubject) {
        let token = observe(subject, [.old, .new, .prior]) { change in
            if change.isPrior { set(subject, to: 7) }
        }
        set(subject, to: 1)
        #expect(log.take() == ["prior 0→·", "0→1"])
        withExtendedLifetime(token) {}
    }

    // #71
    @Test(
        "P3 3.4 What is left of a property is told before its next change opens, and that is told to a running handler last",
        arguments: PrincipleSubject.allCases)
    func completion(_ subject: PrincipleSubject) {
        let tokens = [
            observe(subject, as: "first") { change in
                if change.newValue == 1 { set(subject, to: 2) }
            }, observe(subject, as: "second"),
        ]
        set(subject, to: 1)
        #expect(log.take() == ["first 0→1", "second 0→1", "second 1→2", "first 1→2"])
        withExtendedLifetime(tokens) {}
    }

    // #353
    @Test("P3 3.2 All registrations that depend on a property are called in their order")
    func order() {
        let subjects: [PrincipleSubject] = [.computed, .stored, .expression, .stored, .computed]
        let tokens = subjects.enumerated().map { observe($1, .new, as: "\($0)") }
        house.number = 1
        #expect(log.take() == ["0 ·→1", "1 ·→1", "2 ·→1", "3 ·→1", "4 ·→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 5.2 What depends on a property is evaluated once for each change, and before the first handler runs")
    func evaluatedOnce() {
        let tokens = [
            observe(.stored) { [house] _ in house.evaluations = -1 }, observe(.computed, as: "sum"),
            observe(.computed, [], as: "again"),
        ]
        house.evaluations = 0
        house.number = 1
        #expect(log.take() == ["0→1", "sum 0→1", "again ·→·"] && house.evaluations == -1)
        withExtendedLifetime(tokens) {}
    }

    // #74 #153
    @Test("P3 3.5 Pairs of different properties may cross")
    func crossing() {
        let tokens = [observe(.stored, as: "number"), observe(.computed, as: "sum")]
        house.willChangeValue(for: \.number)
        house.willChangeValue(for: \.other)
        (house.number, house.other) = (1, 2)
        house.didChangeValue(for: \.number)
        #expect(log.take() == ["number 0→1", "sum 0→3"])
        house.didChangeValue(for: \.other)
        #expect(log.take() == ["sum 3→3"])
        withExtendedLifetime(tokens) {}
    }

    // MARK: P4 Nothing is read that is being accessed

    @Test("P4 What depends on a property that is accessed in place is evaluated when that closes")
    func accessed() {
        let other = house.observe(\.other, options: [.old, .new]) { [log] in log.add($1, as: "other") }
        let tokens = [observe(.stored, as: "number"), observe(.computed, as: "sum"), observe(.expression, as: "read")]
        house.evaluations = 0
        house.number.change {
            house.other = 5
            #expect(log.take() == ["other 0→5"] && house.evaluations == 0)
            $0 = 1
        }
        #expect(log.take() == ["number 0→1", "sum 0→6", "read 0→6"])
        withExtendedLifetime((other, tokens)) {}
    }

    @Test("P4 So it is where another thread accesses it")
    func accessedElsewhere() {
        let token = observe(.computed)
        let (held, other) = (HeldChange(), Unchecked(value: house))
        held.begin {
            other.value.number.change {
                held.hold()
                $0 = 1
            }
        }
        house.other = 5
        #expect(log.take() == [])
        held.finish()
        #expect(log.take() == ["0→6"])
        withExtendedLifetime(token) {}
    }

    @Test("P4 3.5 A pair that ends while another thread accesses the property is delivered when the access closes")
    func pairAccessedElsewhere() {
        let token = observe(.stored)
        let (held, other) = (HeldChange(), Unchecked(value: house))
        house.willChangeValue(for: \.number)
        held.begin {
            other.value.number.change {
                held.hold()
                $0 = 1
            }
        }
        house.didChangeValue(for: \.number)
        #expect(log.take() == [])
        held.finish()
        #expect(log.take() == ["0→1"])
        house.number = 2
        #expect(log.take() == ["1→2"], "the pair is over")
        withExtendedLifetime(token) {}
    }

    @Test(
        "4.1 A pair at a path or a computed property calls its observers at the did, and so do changes between",
        arguments: [false, true])
    func announcedKeyPath(isPath: Bool) {
        let token = observe(isPath ? .path : .computed)
        func body() {
            for value in 1...2 { set(isPath ? .path : .computed, to: value) }
            #expect(log.take() == ["0→1", "1→2"])
        }
        if isPath {
            house.changeValue(for: \.lodger.number, body)
        } else {
            house.changeValue(for: \.sum, body)
        }
        #expect(log.take() == ["2→2"])
        withExtendedLifetime(token) {}
    }

    // MARK: P5 Participants

    // #142
    @Test(
        "P5 3.6 A registration made inside a change takes part in the next one", arguments: PrincipleSubject.announced)
    func registeredInside(_ subject: PrincipleSubject) {
        var tokens = [observe(subject, as: "early")]
        announce(subject) {
            tokens.append(observe(subject, as: "late"))
            set(subject, to: 1)
        }
        #expect(log.take() == ["early 0→1"])
        set(subject, to: 2)
        #expect(log.take() == ["early 1→2", subject.isEvaluated ? "late 0→2" : "late 1→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P4 P5 Who registers during an access is called for no change that was open then")
    func registeredDuringAccess() {
        let tokens = [observe(.stored, as: "number"), observe(.computed, as: "sum")]
        var late: KeyValueObservation?
        house.number.change {
            late = house.observe(\.number, options: []) { [log] _, _ in log.add("late") }
            // The sum is evaluated when the access closes, for this change, which the late observer could take part in.
            house.other = 5
            $0 = 1
        }
        #expect(log.take() == ["number 0→1", "sum 0→6"])
        house.number = 2
        #expect(log.take() == ["number 1→2", "sum 6→7", "late"])
        withExtendedLifetime((tokens, late)) {}
    }

    // #319
    @Test("P5 3.6 A registration that has ended at its turn is not called", arguments: PrincipleSubject.allCases)
    func ended(_ subject: PrincipleSubject) {
        var second: KeyValueObservation?
        let first = observe(subject, as: "first") { _ in second = nil }
        second = observe(subject, as: "second")
        set(subject, to: 1)
        #expect(log.take() == ["first 0→1"])
        withExtendedLifetime((first, second)) {}
    }
}

/// Has one of everything that can be observed.
private final class House: KeyValueObservable, @unchecked Sendable {
    final class Lodger: KeyValueObservable, @unchecked Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 0
    }

    final class Garage: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var lodger: Lodger?
        @ObservedShared var sharedLodger: Lodger?
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var other = 0
    @Observed var garage: Garage?
    @Observed var lodger = Lodger()
    @ObservedShared var shared = 0
    /// Changes of these are not seen.
    var silent = 0
    var storedManual = 0
    var storedGuest: Lodger?
    var evaluations = 0

    var manual: Int {
        get {
            accessValue(for: \.manual)
            return storedManual
        }
        set {
            changeValue(for: \.manual) { storedManual = newValue }
        }
    }

    var sum: Int {
        evaluations += 1
        return number + other + silent
    }

    var guest: Lodger? {
        _ = number
        return storedGuest
    }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
