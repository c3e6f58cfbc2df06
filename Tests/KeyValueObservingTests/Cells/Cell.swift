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

/// One way to observe something of a cask: what, where, and what keeps it.
struct Cell: Hashable, Codable, Sendable, CustomTestStringConvertible {
    enum Form: CaseIterable, Codable {
        case keyPath, list, expression
        case values, valuesReading
        case onChange, onChangeReading
        case elements, string

        /// Whether its elements are values, which come elsewhere alone.
        var isOfValues: Bool { self == .values || self == .valuesReading }
        /// Whether its handler has the old and the new value, here alone.
        var isOnChange: Bool { self == .onChange || self == .onChangeReading }
        /// Whether it is observed at no key path.
        var isOfExpression: Bool { self == .expression || self == .valuesReading || self == .onChangeReading }
    }
    enum Place: CaseIterable, Codable {
        case here, iterator, stream, actor, executor, asynchronous, taskExecutor, asynchronousTask, mainActor

        /// Whether it gives its elements one by one, and has no token.
        var isIteration: Bool { self == .iterator || self == .stream }
    }
    enum Holder: CaseIterable, Codable {
        case token, set, array
        /// A controller that observes by itself.
        case controller
        /// A controller that a token is stored in.
        case store

        var isController: Bool { self == .controller || self == .store }
    }
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

    /// One form of each place that refuses priors.
    static let withPriors = all.filter {
        $0.place != .here && $0.subject != .marks && $0.holder == .token
            && $0.form == ($0.place == .mainActor ? .list : .keyPath)
    }

    var testDescription: String { "\(form) of \(subject), \(place), \(holder)" }
}

extension Cell.Form {
    fileprivate var places: [Cell.Place] {
        switch self {
        case .elements, .string, .onChange, .onChangeReading: [.here]
        default: Cell.Place.allCases.filter { !isOfValues || $0 != .here }
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
        if isIteration { return [.token] }
        // Elsewhere a token is stored.
        return Cell.Holder.allCases.filter { $0 != .controller || self == .here }
    }
}

/// A way to end what is registered in a cell.
enum CellEnd: CaseIterable, Sendable {
    case invalidate, unobserveKeyPaths, unobserveObject, unobserveAll, release, observerDies

    /// All cells with all their ends.
    static let ofCells = Cell.all.flatMap { cell in
        allCases.filter { $0.isPossible(for: cell) }.map { (cell, $0) }
    }

    private func isPossible(for cell: Cell) -> Bool {
        switch self {
        case .invalidate: cell.holder == .token && !cell.place.isIteration
        case .release: true
        // No key path finds an expression.
        case .unobserveKeyPaths: cell.holder.isController && !cell.form.isOfExpression && !isOfSeveral(cell)
        default: cell.holder.isController
        }
    }

    /// Whether a controller keeps one token for several key paths.
    private func isOfSeveral(_ cell: Cell) -> Bool { cell.holder == .store && cell.subject == .both }
}
