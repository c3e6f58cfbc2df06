// Random operations.
import KeyValueObserving
import TestSupport

/// Makes random programs; the same seed makes the same program.
struct ProgramGenerator {
    private var generator: SplitMix
    /// Whether a view of a property uses accessors: what it does is a set then.
    private let announces = ProgramObject.announces
    private var lastRegistration = 0

    /// The changes that are announced and have not ended.
    private var open: [(subject: ProgramSubject, object: Int)] = []

    private static let announced: [ProgramSubject] = [
        .number, .items, .members, .child, .manual, .shift, .summary, .itemCount, .childNumber, .childItems,
    ]

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    /// Begins with new objects.
    mutating func restart() { open = [] }

    /// The next step, given what the arrays are now.
    mutating func next(_ model: ProgramModel) -> ProgramOperation {
        switch number(100) {
        case 0..<12: .observe(registration(model))
        case 12..<20: .end(registration: someRegistration())
        case 20..<24: will(model)
        case 24..<32 where !open.isEmpty: did()
        // A surplus one.
        case 32: .did(subject(model, of: 0), of: number(model.objects.count))
        case 33..<38: .transaction((0..<1 + number(6)).map { _ in step(model) })
        default: change(model)
        }
    }

    /// One step of a transaction.
    private mutating func step(_ model: ProgramModel) -> ProgramOperation {
        switch number(12) {
        case 0: .observe(registration(model))
        case 1: .end(registration: someRegistration())
        default: change(model)
        }
    }

    private mutating func will(_ model: ProgramModel) -> ProgramOperation {
        let object = number(model.objects.count)
        let subject = subject(model, of: object)
        open.append((subject, object))
        return .will(subject, of: object)
    }

    private mutating func did() -> ProgramOperation {
        let ended = open.remove(at: number(open.count))
        return .did(ended.subject, of: ended.object)
    }

    /// What may be announced.
    private mutating func subject(_ model: ProgramModel, of object: Int) -> ProgramSubject {
        let subject = Self.announced[number(Self.announced.count)]
        return subject == .shift && object != model.shifted ? .manual : subject
    }

    private mutating func change(_ model: ProgramModel) -> ProgramOperation {
        let object = number(model.objects.count)
        switch number(25) {
        case 20: return .setShift(number(3))
        case 21, 22: return .setManual(number(10), of: object)
        case 23: return .writeManual(number(10), of: object)
        case 0..<3, 24: return .setNumber(number(10), of: object)
        case 3: return .addToNumber(1, of: object)
        case 4: return .setItems(numbers(), of: object)
        case 5: return .appendInPlace(number(10), of: object)
        case 6: return .setMembers(Set(numbers()), of: object)
        case 7: return .setChild(number(4) == 0 ? nil : number(model.objects.count), of: object)
        // A view of what an override shows uses its accessors: that is a set.
        case 8..<16 where announces || object == model.shifted: return .setItems(numbers(), of: object)
        case 16... where announces: return .setMembers(Set(numbers()), of: object)
        case 8..<16: return .items(itemsMutation(model.objects[object].items), of: object)
        default: return .members(membersMutation(), of: object)
        }
    }

    private mutating func itemsMutation(_ items: [Int]) -> ItemsMutation {
        // Arrays stay short.
        if items.count > 12 { return number(2) == 0 ? .removeAll : .removeMultiples(of: 2) }
        let positions = items.indices.filter { _ in number(3) == 0 }
        switch number(11) {
        case 0: return .append(numbers())
        case 1:
            let new = numbers()
            // Final positions: each may stand where what is there then ends at the latest.
            var at: [Int] = []
            for index in new.indices {
                let low = at.last.map { $0 + 1 } ?? 0
                at.append(low + number(items.count + index - low + 1))
            }
            return .insert(new, at: at)
        case 2: return .remove(at: positions)
        case 3: return .replace(at: positions, with: positions.map { _ in number(10) })
        case 4:
            let start = number(items.count + 1)
            return .replaceSubrange(start..<(start + number(items.count - start + 1)), with: numbers())
        case 5, 6: return .move(at: positions, to: number(items.count + 1))
        case 7: return items.isEmpty ? .sort : .swap(number(items.count), number(items.count))
        case 8: return .sort
        case 9: return .reverse
        default: return .removeMultiples(of: 3)
        }
    }

    private mutating func membersMutation() -> MembersMutation {
        switch number(12) {
        case 0...1: .insert(number(10))
        case 2...3: .remove(number(10))
        case 4...5: .formUnion(Set(numbers()))
        case 6: .subtract(Set(numbers()))
        case 7: .formIntersection(Set(numbers() + numbers()))
        case 8...9: .formSymmetricDifference(Set(numbers()))
        case 10: .set(Set(numbers()))
        default: .removeAll
        }
    }

    private mutating func registration(_ model: ProgramModel, withAction: Bool = true) -> ProgramRegistration {
        var action: ProgramAction?
        if withAction {
            switch number(15) {
            case 0: action = .end(registration: someRegistration())
            // What it will find is not known now, so it is something that always can be done.
            case 1: action = .perform(.setNumber(number(10), of: number(model.objects.count)))
            case 2 where announces: action = .perform(.setItems(numbers(), of: model.shifted))
            case 3 where announces:
                action = .perform(.setMembers(Set(numbers()), of: number(model.objects.count)))
            case 2: action = .perform(.items(.append(numbers()), of: number(model.shifted)))
            case 3: action = .perform(.members(membersMutation(), of: number(model.shifted)))
            case 4: action = .perform(.setChild(number(model.objects.count), of: number(model.objects.count)))
            case 5: action = .observe(registration(model, withAction: false))
            case 6: action = .perform(.setManual(number(10), of: number(model.objects.count)))
            case 7: action = .perform(.addToNumber(1, of: number(model.objects.count)))
            case 8: action = .perform(.setItems(numbers(), of: number(model.objects.count)))
            case 9: action = .perform(.setShift(number(3)))
            case 10: action = .perform(will(model))
            // It stays open, so that others may end it too: in a handler, or as a surplus `didChangeValue`.
            case 11, 12:
                if !open.isEmpty {
                    let change = open[number(open.count)]
                    action = .perform(.did(change.subject, of: change.object))
                }
            default: break
            }
        }
        lastRegistration += 1
        let subjects = announces ? ProgramSubject.ofOneClass : ProgramSubject.allCases
        let subject = subjects[number(subjects.count)]
        let isOfSubclass = [.shift, .numberOfSubclass, .itemsOfSubclass].contains(subject)
        return ProgramRegistration(
            id: lastRegistration, object: isOfSubclass ? model.shifted : number(model.objects.count), subject: subject,
            options: KeyValueObservingOptions(rawValue: UInt(number(16))), action: action, actsInPrior: number(2) == 0)
    }

    /// One of the last registrations, or of those to come.
    private mutating func someRegistration() -> Int { max(1, lastRegistration - 14 + number(17)) }

    private mutating func numbers() -> [Int] { (0..<number(4)).map { _ in number(10) } }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &generator) }
}
