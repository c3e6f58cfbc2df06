// The cells of the ways to observe: form, place, holder, and what is observed.
import KeyValueCoding
import KeyValueObserving
import Testing

/// A model that any thread may change; the tests change it from one at a time.
final class Cask: KeyValueCodable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var marks: [Int] = []
    @Observed var parts = [Part("a")]

    static var keyPathsByKey: [String: AnyKeyPath] { ["level": \Cask.level, "marks": \Cask.marks] }

    /// Changes each of them once.
    func turn(_ number: Int) {
        level = number
        mutable(\.marks).append(number)
        parts[0].level = number
    }

    /// Sets, equal sets, elements, a transaction with several of them, and an object that comes and one that goes.
    func change() {
        turn(1)
        level = 1
        parts[0].level = 1
        mutable(\.parts).append(Part("b"))
        withKeyValueTransaction {
            level = 2
            mutable(\.marks).append(2)
            parts[1].level = 2
            level = 3
            marks = [3]
        }
        marks = [3]
        let first = parts[0]
        parts = [parts[1]]
        first.level = 9
        level = 4
    }
}

final class Part: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var level = 0

    init(_ name: String) { self.name = name }
}

/// One way to observe something of a cask.
struct Cell: Hashable, Codable, Sendable, CustomTestStringConvertible {
    enum Form: CaseIterable, Codable { case keyPath, list, expression, elements, onChange, onChangeReading, string }
    enum Place: CaseIterable, Codable { case here, actor, executor, mainActor, changes, values }
    enum Holder: Codable { case token, controller, iterator }
    enum Subject: Codable { case level, marks, both, parts }

    let form: Form
    let place: Place
    let holder: Holder
    let subject: Subject

    /// All that there are.
    static let all: [Self] = Form.allCases.flatMap { form in
        form.places.flatMap { place in
            place.holders.flatMap { holder in
                form.subjects(of: holder).map { Self(form: form, place: place, holder: holder, subject: $0) }
            }
        }
    }

    /// One for each place that refuses priors, and for more than one key path and a controller.
    static let withPriors = all.filter {
        $0.place != .here && $0.place != .values && $0.form == ($0.place == .mainActor ? .list : .keyPath)
            && $0.subject != .marks && ($0.holder != .controller || $0.place == .executor)
    }

    var testDescription: String { "\(form) of \(subject), \(place), \(holder)" }
}

extension Cell.Form {
    fileprivate var places: [Cell.Place] {
        switch self {
        case .keyPath, .expression: Cell.Place.allCases
        case .list: Cell.Place.allCases.filter { $0 != .values }
        case .onChange, .onChangeReading: [.here, .actor, .executor, .mainActor]
        case .elements, .string: [.here]
        }
    }

    fileprivate func subjects(of holder: Cell.Holder) -> [Cell.Subject] {
        switch self {
        case .list: [.both]
        case .elements: [.parts]
        case .string where holder == .controller: [.level, .marks, .both]
        default: [.level, .marks]
        }
    }
}

extension Cell.Place {
    fileprivate var holders: [Cell.Holder] {
        self == .changes || self == .values ? [.iterator] : [.token, .controller]
    }
}

/// A way to end what is registered in a cell.
enum CellEnd: CaseIterable, Sendable {
    case invalidate, unobserveKeyPaths, unobserveObject, unobserveAll, release, observerDies

    /// All cells with all their ends.
    static let ofCells = Cell.all.flatMap { cell in
        allCases.filter { $0.isPossible(for: cell.holder, cell.form) }.map { (cell, $0) }
    }

    private func isPossible(for holder: Cell.Holder, _ form: Cell.Form) -> Bool {
        switch self {
        case .invalidate: holder == .token
        case .release: true
        // No key path finds an expression.
        case .unobserveKeyPaths: holder == .controller && form != .expression && form != .onChangeReading
        default: holder == .controller
        }
    }
}
