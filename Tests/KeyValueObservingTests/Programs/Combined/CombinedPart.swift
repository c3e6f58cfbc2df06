// The objects of a combining program.
import KeyValueObserving

/// Has properties of every kind.
class CombinedPart: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    /// Older parts have lower numbers.
    let age: Int
    @Observed var number = 0
    @Observed var level = 0
    /// What one-way bindings set.
    @Observed var echo = 0
    /// Nothing depends on it.
    @Observed var tally = 0
    @Observed var items: [Int] = []
    @Observed var members: Set<Int> = []
    @Observed var next: CombinedPart?
    /// What is observed of each of them.
    @Observed var parts: [CombinedPart] = []
    @Observed var countsItems = false
    @ObservedShared var shared = 0
    @ObservedShared var sharedItems: [Int] = []
    @ObservedShared var link: CombinedPart?

    /// Setting it is silent, as the class says; each change is announced.
    @Observed var byHand = 0

    private var storedManual = 0
    private var storedHidden = 0
    private var storedWritten = 0
    private var storedWrittenItems: [Int] = []
    private var storedList: [Int] = []
    private var storedGroup: Set<Int> = []

    init(age: Int) { self.age = age }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \CombinedPart.byHand && keyPath != \CombinedPart.hidden
    }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \CombinedPart.doubled: [\CombinedPart.hidden]
        case \CombinedPart.declared: [\CombinedPart.doubled, \CombinedPart.byHand]
        default: []
        }
    }

    /// Notifies manually, and its getter does not say that it is read.
    var hidden: Int {
        get { storedHidden }
        set { changeValue(for: \.hidden) { storedHidden = newValue } }
    }

    /// Its accessors call the engine, as a macro writes them.
    var written: Int {
        get {
            accessValue(for: \.written)
            return storedWritten
        }
        set {
            let change = AccessorChange(of: \.written, in: self)
            storedWritten = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.written, of: self)
            defer { access.end() }
            yield &storedWritten
        }
    }

    /// The same of an array.
    var writtenItems: [Int] {
        get {
            accessValue(for: \.writtenItems)
            return storedWrittenItems
        }
        set {
            let change = AccessorChange(of: \.writtenItems, in: self)
            storedWrittenItems = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.writtenItems, of: self)
            defer { access.end() }
            yield &storedWrittenItems
        }
    }

    /// Depends on what its class declares, also behind a path, for it says that it is read.
    var doubled: Int {
        accessValue(for: \.doubled)
        return 2 * storedHidden
    }

    /// Depends on what its class declares, and on what it reads.
    var declared: Int { 2 * storedHidden + byHand + number }

    /// Announces a change of what is set silently, and makes it.
    func setByHand(_ value: Int, inPlace isInPlace: Bool) {
        changeValue(for: \.byHand) {
            if isInPlace { byHand += value } else { byHand = value }
        }
    }

    /// Notifies manually.
    var manual: Int {
        get {
            accessValue(for: \.manual)
            return storedManual
        }
        set { changeValue(for: \.manual) { storedManual = newValue } }
    }

    /// Collections that notify manually.
    var list: [Int] {
        get {
            accessValue(for: \.list)
            return storedList
        }
        set { changeValue(for: \.list) { storedList = newValue } }
    }

    var group: Set<Int> {
        get {
            accessValue(for: \.group)
            return storedGroup
        }
        set { changeValue(for: \.group) { storedGroup = newValue } }
    }

    /// Reads what a branch leads to.
    var total: Int { number + manual + (countsItems ? items.count : next?.number ?? 0) }

    /// Changes what it reads.
    var clamped: Int {
        if level > 5 { level = 5 }
        return level
    }

    /// Reads what may be shared among threads, and what may not.
    var mixed: Int { number + shared + (link?.shared ?? 0) + sharedItems.count }

    /// Reads what has accessors of its own.
    var writtenSum: Int { written + writtenItems.count + level }

    /// Changes what it reads, and what it reads may be shared among threads.
    var limited: Int {
        if shared > 5 { shared = 5 }
        return shared
    }

    /// Changes what it reads whenever it is read, so nobody can observe it.
    var counted: Int {
        level = (level + 1) % 10
        return level
    }
}

/// Overrides a getter, which then depends on one more property.
final class CombinedShiftedPart: CombinedPart, @unchecked Sendable {
    @Observed var shift = 0

    override var number: Int {
        get { super.number + shift }
        set { super.number = newValue }
    }
}

/// What is observed of a part.
enum CombinedSubject: CaseIterable {
    case number, level, echo, tally, items, members, next, manual, list, group, total, clamped
    case nextNumber, nextItems, nextTotal, nextNextNumber
    case shared, sharedItems, link, mixed, limited
    case nextShared, linkNumber, linkSharedItems
    case hidden, byHand, doubled, declared, nextByHand, nextDoubled
    case written, writtenItems, writtenSum, nextWritten

    /// What leads through properties that are shared among threads.
    static let sharing: [CombinedSubject] = [
        .shared, .shared, .sharedItems, .sharedItems, .link, .mixed, .limited, .nextShared, .linkNumber,
        .linkSharedItems,
    ]

    /// Whether it ends at a property that is shared among threads, before whose changes nobody can be called (17.2).
    var endsAtShared: Bool { [.shared, .sharedItems, .link, .nextShared, .linkSharedItems].contains(self) }

    /// Whether it reads a property that is shared among threads.
    var readsShared: Bool { endsAtShared || [.mixed, .limited, .linkNumber].contains(self) }

    /// Whether it is a property, which gives its observers the values that it replaces, or is announced beside what it reads.
    var isProperty: Bool {
        switch self {
        case .number, .level, .echo, .tally, .items, .members, .manual, .list, .group, .shared, .sharedItems, .hidden,
            .byHand, .written, .writtenItems, .doubled:
            true
        default: false
        }
    }

    /// Whether a part of its value is known only from what the class declares of its key path, which an expression has not.
    var isDeclared: Bool { [.hidden, .declared].contains(self) }

    /// Whether its getter sets what it reads.
    var setsWhatItReads: Bool { self == .clamped || self == .limited }
}

/// Does something with a key path of a part.
protocol CombinedVisitor {
    associatedtype Result
    func visit<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<CombinedPart, Value>, _ told: @escaping (Value) -> ProgramEvent.Value
    ) -> Result
}

extension CombinedSubject {
    func visit<Visitor: CombinedVisitor>(_ visitor: Visitor) -> Visitor.Result {
        func number(_ value: Int) -> ProgramEvent.Value { .number(value) }
        switch self {
        case .number: return visitor.visit(\.number, number)
        case .level: return visitor.visit(\.level, number)
        case .echo: return visitor.visit(\.echo, number)
        case .tally: return visitor.visit(\.tally, number)
        case .items: return visitor.visit(\.items) { .items($0) }
        case .members: return visitor.visit(\.members) { .members($0) }
        case .next: return visitor.visit(\.next?.age) { $0.map { .object($0) } ?? .none }
        case .manual: return visitor.visit(\.manual, number)
        case .list: return visitor.visit(\.list) { .items($0) }
        case .group: return visitor.visit(\.group) { .members($0) }
        case .total: return visitor.visit(\.total, number)
        case .clamped: return visitor.visit(\.clamped, number)
        case .nextNumber: return visitor.visit(\.next?.number) { $0.map(number) ?? .none }
        case .nextItems: return visitor.visit(\.next?.items) { $0.map { .items($0) } ?? .none }
        case .nextTotal: return visitor.visit(\.next?.total) { $0.map(number) ?? .none }
        case .nextNextNumber: return visitor.visit(\.next?.next?.number) { $0.map(number) ?? .none }
        case .shared: return visitor.visit(\.shared, number)
        case .sharedItems: return visitor.visit(\.sharedItems) { .items($0) }
        case .link: return visitor.visit(\.link?.age) { $0.map { .object($0) } ?? .none }
        case .mixed: return visitor.visit(\.mixed, number)
        case .limited: return visitor.visit(\.limited, number)
        case .written: return visitor.visit(\.written, number)
        case .writtenItems: return visitor.visit(\.writtenItems) { .items($0) }
        case .writtenSum: return visitor.visit(\.writtenSum, number)
        case .nextWritten: return visitor.visit(\.next?.written) { $0.map(number) ?? .none }
        case .hidden: return visitor.visit(\.hidden, number)
        case .byHand: return visitor.visit(\.byHand, number)
        case .doubled: return visitor.visit(\.doubled, number)
        case .declared: return visitor.visit(\.declared, number)
        case .nextByHand: return visitor.visit(\.next?.byHand) { $0.map(number) ?? .none }
        case .nextDoubled: return visitor.visit(\.next?.doubled) { $0.map(number) ?? .none }
        case .nextShared: return visitor.visit(\.next?.shared) { $0.map(number) ?? .none }
        case .linkNumber: return visitor.visit(\.link?.number) { $0.map(number) ?? .none }
        case .linkSharedItems: return visitor.visit(\.link?.sharedItems) { $0.map { .items($0) } ?? .none }
        }
    }
}
