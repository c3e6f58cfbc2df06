// What random programs are made of: operations on a few objects, and what observers may get.
import KeyValueObserving
import TestSupport

/// What may be observed of an object, or announced as changing.
enum ProgramSubject: CaseIterable {
    case number, items, members, child
    /// It notifies manually.
    case manual
    /// Only the object whose getters are overridden has it.
    case shift
    case itemCount, summary, childNumber, childManual, childItems, grandchildItems
    /// What `childNumber` is, as an expression, which is another one for each registration.
    case expression
    /// The same as the property of that name, written from the subclass.
    case numberOfSubclass, itemsOfSubclass

    /// What there is where accessors that a macro makes are overridden: there those two are other key paths.
    static let ofOneClass = allCases.filter { ![.numberOfSubclass, .itemsOfSubclass].contains($0) }

    /// Whether it is a property that notifies by itself.
    var isStored: Bool { [.number, .items, .members, .child, .shift].contains(self) }
    /// Whether it may be one of a list of key paths: it is written from the class, and means the same in each registration.
    var isListed: Bool { ![.shift, .expression, .numberOfSubclass, .itemsOfSubclass].contains(self) }
    /// Whether it is a property.
    var isProperty: Bool { isStored || self == .manual }

    /// Of how many properties its key path is made; 0 if it ends at something that is computed.
    var parts: Int {
        switch self {
        case .itemCount, .summary, .expression, .numberOfSubclass, .itemsOfSubclass: 0
        case .childNumber, .childManual, .childItems: 2
        case .grandchildItems: 3
        default: 1
        }
    }

    /// What is observed: an override is the property that it overrides (1.8).
    var target: ProgramSubject {
        switch self {
        case .numberOfSubclass: .number
        case .itemsOfSubclass: .items
        default: self
        }
    }
}

struct ProgramRegistration {
    let id: Int
    let object: Int
    let subject: ProgramSubject
    /// What else it observes, if it is a list of key paths.
    var others: [ProgramSubject] = []
    let options: KeyValueObservingOptions
    /// What its handler does the first two times that it is called before a change, or after one.
    let action: ProgramOperation?
    /// Whether it acts before a change.
    var actsInPrior = false
}

/// How often handlers have acted.
struct ProgramActions {
    private var counts: [Int: Int] = [:]

    /// What a handler does that is called now; nil if that is nothing.
    mutating func next(of registration: ProgramRegistration, isPrior: Bool) -> ProgramOperation? {
        guard registration.actsInPrior == isPrior, counts[registration.id, default: 0] < 2 else { return nil }
        counts[registration.id, default: 0] += 1
        return registration.action
    }
}

/// One step.
indirect enum ProgramOperation {
    case setNumber(Int, of: Int)
    case addToNumber(Int, of: Int)
    case setItems([Int], of: Int)
    case appendInPlace(Int, of: Int)
    case setMembers(Set<Int>, of: Int)
    case setChild(Int?, of: Int)
    case setShift(Int)
    case setManual(Int, of: Int)
    /// Writes what is behind the property that notifies manually, if a change of it is announced.
    case writeManual(Int, of: Int)
    case will(ProgramSubject, of: Int)
    case did(ProgramSubject, of: Int)
    case items(ItemsMutation, of: Int)
    case members(MembersMutation, of: Int)
    case observe(ProgramRegistration)
    /// Binds the numbers of two objects to each other.
    case bind(id: Int, Int, Int)
    case end(registration: Int)
    case transaction([ProgramOperation])
}

/// A mutation of an array by its view.
enum ItemsMutation {
    case append([Int])
    case insert([Int], at: [Int])
    case remove(at: [Int])
    case replace(at: [Int], with: [Int])
    case replaceSubrange(Range<Int>, with: [Int])
    case move(at: [Int], to: Int)
    case swap(Int, Int)
    case sort
    case reverse
    case removeAll
    case removeMultiples(of: Int)
}

extension ItemsMutation {
    /// Whether it can be made of an array of so many elements; one that cannot be is left out.
    ///
    /// A shortened program may ask for elements that are not there.
    func isPossible(with count: Int) -> Bool {
        switch self {
        case .insert(let new, let positions): positions.enumerated().allSatisfy { $1 <= count + $0 && $0 < new.count }
        case .remove(let positions), .replace(let positions, _): positions.allSatisfy { $0 < count }
        case .replaceSubrange(let range, _): range.upperBound <= count
        case .move(let positions, let destination): positions.allSatisfy { $0 < count } && destination <= count
        case .swap(let first, let second): max(first, second) < count
        case .append, .sort, .reverse, .removeAll, .removeMultiples: true
        }
    }
}

/// A mutation of a set by its view.
enum MembersMutation {
    case insert(Int)
    case remove(Int)
    case formUnion(Set<Int>)
    case subtract(Set<Int>)
    case formIntersection(Set<Int>)
    case formSymmetricDifference(Set<Int>)
    case set(Set<Int>)
    case removeAll
}

/// What a handler got, or is to get.
struct ProgramEvent: Equatable {
    enum Value: Equatable {
        case number(Int)
        case items([Int])
        case members(Set<Int>)
        case object(Int)
        case none
    }

    let registration: Int
    let subject: ProgramSubject
    var isPrior = false
    var kind: KeyValueChange
    var indexes: [Int]?
    var old: Value?
    var new: Value?
    /// What a transaction did to the elements.
    var steps: [Self] = []
}
