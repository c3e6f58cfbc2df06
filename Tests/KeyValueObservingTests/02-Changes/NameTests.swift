// What a change and a listing call a property: 2.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.7 Names")
struct NameTests {
    private let kept = Kept()
    private let shop = Store()

    @Test("2.7 What comes before an index has its name; an array's index is written, and no other argument")
    func indexes() {
        let keyPaths: [(PartialKeyPath<Store>, String)] = [
            (\.rows[0], "rows[0]"), (\.rows[12].text, "rows[12].text"), (\.rows[0..<2], "rows[…]"),
            (\.prices["a"], "prices[…]"), (\.owner?.rows[3].text.count, "owner.rows[3].text.count"),
            (\.rows[1][2], "rows[1][…]"), (\.[4], "[…]"), (\.rows[1].shelves[2][3], "rows[1].shelves[2][3]"),
        ]
        shop.rows = Array(repeating: Shelving(), count: 13)
        let tokens = [shop.observe(\.rows) { _, _ in }, shop.observe(\.prices) { _, _ in }]
        let owned = shop.observe(\.owner) { _, _ in }
        for (keyPath, name) in keyPaths { #expect(self.name(of: keyPath) == name) }
        withExtendedLifetime((tokens, owned)) {}
    }

    @Test("2.7 What nothing names is written with its type; no address is written")
    func unnamed() {
        #expect(name(of: \.isLarge) == "computed Bool")
        #expect(name(of: \.owner?.isLarge).hasSuffix(".computed Bool"))
        #expect(name(of: \.pairs) == "computed Array<(Int, Optional<String>)>")
    }

    @Test("2.7 A function that reports a property does not name it")
    func reportedByFunction() {
        let loader = Loader()
        loader.reload()
        loader.observe(\.progress) { _, _ in }.store(in: kept)
        #expect(loader.observationInfo.map(\.keyPath) == ["progress"])
    }

    @Test("2.7 Counts and ends of collections and strings have their names")
    func standardLibrary() {
        shop.observe(\.rows) { _, _ in }.store(in: kept)
        let keyPaths: [(PartialKeyPath<Store>, String)] = [
            (\.rows.count, "count"), (\.rows.isEmpty, "isEmpty"), (\.rows.first?.text, "first.text"),
            (\.rows.last, "last"),
        ]
        for (keyPath, name) in keyPaths { #expect(self.name(of: keyPath) == "rows.\(name)") }
    }

    @Test("2.7 A class on the way gives its names before one of its objects was there")
    func classesOnTheWay() {
        shop.observe(\.place) { _, _ in }.store(in: kept)
        let change = Change(kind: .setting, keyPath: \Store.place?.town)
        #expect(change.name == "place.town" && name(of: \.place?.isFar) == "place.isFar")
    }

    private typealias Change = KeyValueObservedChange<String?>

    private func name(of keyPath: PartialKeyPath<Store>) -> String { Change(kind: .setting, keyPath: keyPath).name }
}

private struct Shelving {
    var text = ""
    var shelves: [[Int]] = []
    subscript(column: Int) -> Int { column }
}

private final class Store: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var rows: [Shelving] = []
    @Observed var prices: [String: Int] = [:]
    @Observed var owner: Store?
    @Observed var place: District?
    var isLarge: Bool { rows.count > 9 }
    var pairs: [(Int, String?)] { [] }
    subscript(index: Int) -> Shelving { rows[index] }
}

private final class District: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var town = ""
    var isFar: Bool { town.count > 9 }
    static var keyPathsByKey: [String: AnyKeyPath] { ["town": \District.town, "isFar": \District.isFar] }
}

private final class Loader: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var progress: Int {
        accessValue(for: \.progress)
        return 0
    }

    func reload() { accessValue(for: \.progress) }
}
