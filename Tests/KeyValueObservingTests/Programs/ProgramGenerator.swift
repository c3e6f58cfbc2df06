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
        case 0: bind()
        case 1..<12: .observe(registration(model))
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

    /// A binding of objects that show what they are given.
    private mutating func bind() -> ProgramOperation {
        lastRegistration += 1
        let first = number(2)
        return .bind(id: lastRegistration, first, 1 - first)
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

    /// Sets what is observed, or something that it may read.
    private mutating func set(_ subject: ProgramSubject, of object: Int, _ model: ProgramModel) -> ProgramOperation {
        switch subject {
        case .number, .numberOfSubclass, .summary, .childNumber, .expression: .setNumber(number(10), of: object)
        case .items, .itemsOfSubclass, .itemCount, .childItems, .grandchildItems: .setItems(numbers(), of: object)
        case .members: .setMembers(Set(numbers()), of: object)
        case .child: .setChild(number(model.objects.count), of: object)
        case .manual, .childManual: .setManual(number(10), of: object)
        case .shift: .setShift(number(3))
        }
    }

    private mutating func registration(_ model: ProgramModel, withAction: Bool = true) -> ProgramRegistration {
        let subjects = announces ? ProgramSubject.ofOneClass : ProgramSubject.allCases
        let subject = subjects[number(subjects.count)]
        let isOfSubclass = [.shift, .numberOfSubclass, .itemsOfSubclass].contains(subject)
        let object = isOfSubclass ? model.shifted : number(model.objects.count)
        var others: [ProgramSubject] = []
        if subject.isListed, number(5) == 0 {
            others = subjects.filter { $0.isListed && $0 != subject && number(6) == 0 }
        }
        var action: ProgramOperation?
        if withAction {
            // What it will find is not known now, so it is something that always can be done.
            switch number(20) {
            case 0: action = .end(registration: someRegistration())
            case 1..<6: action = set(subjects[number(subjects.count)], of: number(model.objects.count), model)
            case 6..<10: action = set(subject, of: object, model)
            case 10:
                let other = number(model.objects.count)
                action = .transaction([set(subject, of: object, model), set(subject, of: other, model)])
            case 11: action = .observe(registration(model, withAction: false))
            case 12: action = .addToNumber(1, of: number(model.objects.count))
            case 13 where !announces: action = .items(.append(numbers()), of: number(model.shifted))
            case 14 where !announces: action = .members(membersMutation(), of: number(model.shifted))
            case 15: action = will(model)
            // It stays open, so that others may end it too: in a handler, or as a surplus `didChangeValue`.
            case 16, 17:
                if !open.isEmpty {
                    let change = open[number(open.count)]
                    action = .did(change.subject, of: change.object)
                }
            default: break
            }
        }
        lastRegistration += 1
        return ProgramRegistration(
            id: lastRegistration, object: object, subject: subject, others: others,
            options: KeyValueObservingOptions(rawValue: UInt(number(16))), action: action, actsInPrior: number(2) == 0)
    }

    /// One of the last registrations, or of those to come.
    private mutating func someRegistration() -> Int { max(1, lastRegistration - 14 + number(17)) }

    private mutating func numbers() -> [Int] { (0..<number(4)).map { _ in number(10) } }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &generator) }
}
