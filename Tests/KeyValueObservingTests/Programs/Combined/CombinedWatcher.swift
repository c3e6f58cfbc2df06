// Somebody who observes in a combining program, and checks what comes.
import KeyValueObserving

/// A registration, with what it was told last.
///
/// It checks the promises that hold whatever else is going on: what it is told forms one chain (P1), changes of elements
/// replay to the value (7.5), and nothing comes after its end (9.3), for what it ignores (13.3), inside a transaction
/// (10.2), or that it did not ask for (2.1).
final class CombinedWatcher {
    /// How it is registered.
    enum Form: CaseIterable {
        case token, distinctToken, controller, owner, expression, several
        /// On an executor, without a bound, with one, and without equal values.
        case executor, boundedExecutor, distinctExecutor

        var isOnExecutor: Bool { [.executor, .boundedExecutor, .distinctExecutor].contains(self) }
        var isDistinct: Bool { self == .distinctToken || self == .distinctExecutor }
    }

    /// What is going on when it is called.
    struct Circumstances {
        /// Whether what is delivered now was changed inside a transaction that has not ended.
        var isInsideTransaction: Bool
        /// The number of the transaction that is open.
        var transaction: Int?
        /// Whether what is delivered now was changed inside `ignoringChanges`.
        var isInsideIgnoring: Bool
    }

    let number: Int
    let subject: CombinedSubject
    let options: KeyValueObservingOptions
    let form: Form
    private(set) weak var part: CombinedPart?
    /// Whether what it observes is evaluated, so that nothing breaks its chain.
    private let isEvaluated: Bool
    /// What it was told last, or could read when it was registered; nil if a property replaces another value next.
    private(set) var told: ProgramEvent.Value?
    private(set) var failure: String?
    /// How often its handler may act.
    var acts: Int
    var actsBefore: Bool
    private var hasEnded = false
    /// Whether changes are under way that it is not told of, because it came meanwhile (P5) or ignored some.
    private var isLate: Bool
    /// Whether it was not told of the last change for that reason.
    private var isBehind: Bool
    private var wasCalledBefore = false
    /// The last transaction that it was called in before a change.
    private var lastTransaction: Int?
    private var awaitsInitial: Bool
    /// The registration, if it has a token.
    private(set) var token: KeyValueObservation?
    /// Ends the registration by what it was made with.
    private var ending: (() -> Void)?
    /// Whether it is to end as soon as its registration has been made.
    private var endsAtOnce = false

    init(
        _ number: Int, _ subject: CombinedSubject, of part: CombinedPart, _ options: KeyValueObservingOptions,
        _ form: Form,
        acts: Int, actsBefore: Bool, isLate: Bool
    ) {
        self.number = number
        self.subject = subject
        self.part = part
        self.options = options
        self.form = form
        self.acts = acts
        self.actsBefore = actsBefore
        self.isLate = isLate
        isBehind = isLate
        isEvaluated =
            !subject.setsWhatItReads
            && (form == .expression || !subject.isProperty || subject == .number && part is CombinedShiftedPart)
        awaitsInitial = options.contains(.initial)
    }

    /// Keeps its registration.
    func begin(with token: KeyValueObservation) {
        self.token = token
        begin { [unowned self] in
            // A token ends its registration when it is released, too.
            if number.isMultiple(of: 2) { token.invalidate() }
            self.token = nil
        }
    }

    /// Keeps what ends its registration.
    func begin(endedBy ending: @escaping () -> Void) {
        self.ending = ending
        if endsAtOnce { return end() }
        guard !options.contains(.initial), isEvaluated || !isLate, let part else { return }
        told = subject.visit(CombinedReading(part: part))
    }

    /// Ends it; what is released by that may act.
    func end() {
        // Its handler is being called with the initial value.
        if ending == nil, !hasEnded {
            endsAtOnce = true
            return
        }
        runEnding()
        hasEnded = true
    }

    // What ends it is released when this returns.
    private func runEnding() {
        let ending = ending
        self.ending = nil
        ending?()
    }

    /// It need not be told of changes that it ignored.
    func fallBehind() {
        if !isEvaluated { told = nil }
        (isLate, isBehind) = (true, true)
    }

    /// No change is open: it takes part in what changes from now on.
    func becomeQuiet() { (isLate, wasCalledBefore) = (false, false) }
}

/// Reads what is observed of a part.
struct CombinedReading: CombinedVisitor {
    let part: CombinedPart

    func visit<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<CombinedPart, Value>, _ told: @escaping (Value) -> ProgramEvent.Value
    ) -> ProgramEvent.Value { told(part[keyPath: keyPath]) }
}

extension CombinedWatcher {
    /// What is wrong, now that no change is open; nil if nothing is.
    var failureWhenQuiet: String? {
        if let failure { return "\(self): \(failure)" }
        guard let told, !hasEnded, !isBehind, options.contains(.new), let part else { return nil }
        let current = subject.visit(CombinedReading(part: part))
        return current == told ? nil : "\(self): told \(told), is \(current)"
    }

    /// - Returns: Whether its handler acts.
    func receive<Value>(
        _ change: KeyValueObservedChange<Value>, _ circumstances: Circumstances,
        _ value: (Value) -> ProgramEvent.Value
    ) -> Bool {
        check(
            ProgramEvent(
                registration: number, subject: .number, isPrior: change.isPrior, kind: change.kind,
                indexes: change.indexes.map { $0.ranges.flatMap { Array($0) } }, old: change.oldValue.map(value),
                new: change.newValue.map(value)),
            circumstances)
        guard acts > 0, change.isPrior == actsBefore else { return false }
        acts -= 1
        return true
    }

    private func check(_ event: ProgramEvent, _ circumstances: Circumstances) {
        func fail(_ promise: String) {
            failure = failure ?? "\(promise): \(event) after \(told.map { "\($0)" } ?? "?")"
        }
        let isInitial = awaitsInitial
        awaitsInitial = false
        if subject.setsWhatItReads, options.contains(.initial), ending == nil, !hasEnded {
            // Its getter sets what it reads, and others may set that back each time: the change comes first then.
            return fallBehind()
        }
        if hasEnded { fail("9.3 called after its end") }
        if circumstances.isInsideIgnoring { fail("13.3 told of what it ignores") }
        if event.old != nil, !options.contains(.old) || isInitial { fail("2.1 2.4 an old value") }
        if event.new != nil, !options.contains(.new) || event.isPrior { fail("2.1 2.4 a new value") }
        if isInitial {
            told = isLate && !isEvaluated ? nil : event.new
            return
        }
        if event.kind == .setting {
            if options.contains(.old), event.old == nil { fail("2.1 no old value") }
            if options.contains(.new), event.new == nil, !event.isPrior { fail("2.1 no new value") }
            if let told, let old = event.old, old != told { fail("P1 the chain is broken") }
            if form.isDistinct, told != nil, let old = event.old, old == event.new { fail("2.5 equal values") }
        }
        if event.isPrior {
            wasCalledBefore = true
            if let transaction = circumstances.transaction {
                if transaction == lastTransaction { fail("10.3 called twice before") }
                lastTransaction = transaction
            }
            return
        }
        if circumstances.isInsideTransaction { fail("10.2 called inside a transaction") }
        if options.contains(.prior), !isLate, !wasCalledBefore, !subject.readsShared { fail("2.4 not called before") }
        if !isLate { isBehind = false }
        if event.kind != .setting { return replay(event, fail) }
        told = isLate && !isEvaluated ? nil : event.new
    }

    /// Makes a change of elements in what it was told last.
    private func replay(_ event: ProgramEvent, _ fail: (String) -> Void) {
        switch told {
        case nil: return
        case .items(var items)?:
            guard options.contains(.new), options.contains(.old) else {
                told = nil
                return
            }
            guard let positions = event.indexes, !positions.isEmpty else { return fail("7.1 no indexes") }
            func elements(_ value: ProgramEvent.Value?) -> [Int] {
                if case .items(let elements)? = value { elements } else { [] }
            }
            let (old, new) = (elements(event.old), elements(event.new))
            if event.kind != .insertion {
                guard positions.allSatisfy(items.indices.contains), old == positions.map({ items[$0] }) else {
                    return fail("7.1 what was removed was not there")
                }
            }
            switch event.kind {
            case .insertion:
                guard new.count == positions.count else { return fail("7.1 other elements than indexes") }
                for (position, element) in zip(positions, new) {
                    guard position <= items.count else { return fail("7.1 inserted beyond the end") }
                    items.insert(element, at: position)
                }
            case .removal: for position in positions.reversed() { items.remove(at: position) }
            default: for (position, element) in zip(positions, new) { items[position] = element }
            }
            told = .items(items)
        case .members(let members)?:
            guard options.contains(.new), options.contains(.old) else {
                told = nil
                return
            }
            func elements(_ value: ProgramEvent.Value?) -> Set<Int> {
                if case .members(let elements)? = value { elements } else { [] }
            }
            guard elements(event.old).isSubset(of: members) else { return fail("7.2 what was removed was not there") }
            told = .members(members.subtracting(elements(event.old)).union(elements(event.new)))
        default: fail("6.6 elements of what is no collection")
        }
    }
}

extension CombinedWatcher: CustomStringConvertible {
    var description: String { "\(number) \(form) \(subject) \(options.rawValue)" }
}
