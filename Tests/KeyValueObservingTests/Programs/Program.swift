// What random programs are made of: operations on a few objects, and what observers may be told.
import KeyValueObserving

/// A property of the objects that programs change.
enum ProgramProperty: Hashable {
    case number, items, members, child
}

/// What may be observed of an object.
enum ProgramSubject: CaseIterable {
    case number, items, members, child
    case itemCount, summary, childNumber, childItems, grandchildItems
}

/// What a registration's handler does the first time it is called after a change.
indirect enum ProgramAction {
    case end(registration: Int)
    case perform(ProgramOperation)
    case observe(ProgramRegistration)
}

struct ProgramRegistration {
    let id: Int
    let object: Int
    let subject: ProgramSubject
    let options: KeyValueObservingOptions
    let action: ProgramAction?
}

/// One step.
enum ProgramOperation {
    case setNumber(Int, of: Int)
    case addToNumber(Int, of: Int)
    case setItems([Int], of: Int)
    case appendInPlace(Int, of: Int)
    case setMembers(Set<Int>, of: Int)
    case setChild(Int?, of: Int)
    case items(ItemsMutation, of: Int)
    case members(MembersMutation, of: Int)
    case observe(ProgramRegistration)
    case end(registration: Int)
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

/// What a handler was told, or is to be told.
struct ProgramEvent: Equatable {
    enum Value: Equatable {
        case number(Int)
        case items([Int])
        case members(Set<Int>)
        case object(Int)
        case none
    }

    let registration: Int
    var isPrior = false
    let kind: KeyValueChange
    var indexes: [Int]?
    var old: Value?
    var new: Value?
}

extension ProgramEvent: CustomStringConvertible {
    /// Such as `7 prior removal [2] ["c"]→·`.
    var description: String {
        func text(_ value: Value?) -> String {
            switch value {
            case nil: "·"
            case .number(let number)?: "\(number)"
            case .items(let items)?: "\(items)"
            case .members(let members)?: "\(members.sorted())"
            case .object(let index)?: "object \(index)"
            case .some(.none): "nil"
            }
        }
        let at = indexes.map { " \($0)" } ?? ""
        return "\(registration)\(isPrior ? " prior" : "") \(kind)\(at) \(text(old))→\(text(new))"
    }
}

extension ProgramRegistration: CustomStringConvertible {
    /// Such as `7: childItems of 2 [new], then setNumber(3, of: 1)`.
    var description: String {
        "\(id): \(subject) of \(object) \(options)" + (action.map { ", then \($0)" } ?? "")
    }
}

/// Makes random programs; the same seed makes the same program.
struct ProgramGenerator {
    private var generator: SplitMix
    private var lastRegistration = 0

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    /// The next step, given what the arrays are now.
    mutating func next(_ model: ProgramModel) -> ProgramOperation {
        switch number(100) {
        case 0..<12: .observe(registration(model))
        case 12..<20: .end(registration: number(lastRegistration + 1))
        default: change(model)
        }
    }

    private mutating func change(_ model: ProgramModel) -> ProgramOperation {
        let object = number(model.objects.count)
        switch number(20) {
        case 0..<3: return .setNumber(number(10), of: object)
        case 3: return .addToNumber(1, of: object)
        case 4: return .setItems(numbers(), of: object)
        case 5: return .appendInPlace(number(10), of: object)
        case 6: return .setMembers(Set(numbers()), of: object)
        case 7: return .setChild(number(4) == 0 ? nil : number(model.objects.count), of: object)
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
            switch number(8) {
            case 0: action = .end(registration: number(lastRegistration + 2))
            // What it will find is not known now, so it is something that always can be done.
            case 1: action = .perform(.setNumber(number(10), of: number(model.objects.count)))
            case 2: action = .perform(.items(.append(numbers()), of: number(model.objects.count)))
            case 3:
                action = .perform(.members(.formSymmetricDifference(Set(numbers())), of: number(model.objects.count)))
            case 4: action = .perform(.setChild(number(model.objects.count), of: number(model.objects.count)))
            case 5: action = .observe(registration(model, withAction: false))
            default: break
            }
        }
        lastRegistration += 1
        return ProgramRegistration(
            id: lastRegistration, object: number(model.objects.count),
            subject: ProgramSubject.allCases[number(ProgramSubject.allCases.count)],
            options: KeyValueObservingOptions(rawValue: UInt(number(16))), action: action)
    }

    private mutating func numbers() -> [Int] { (0..<number(4)).map { _ in number(10) } }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &generator) }
}
