// Conformance cases of group 10: operators of key paths, applied to arrays, sets and dictionaries (8.6).
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("Conformance 10: operators")
struct OperatorCases {
    typealias Row = (number: String, receiver: @Sendable () -> Any, results: [(path: String, result: String)])

    // #249
    @Test("What an operator gives, or which error", arguments: rows.indices)
    func result(index: Int) {
        let row = Self.rows[index]
        for (path, result) in row.results {
            #expect(Self.text(path, of: row.receiver()) == result, "\(row.number) \(path)")
        }
    }

    /// What a path gives: the members of a set are sorted as text.
    private static func text(_ path: String, of receiver: Any) -> String {
        do {
            let value = try read(path, of: receiver)
            guard let set = value as? Set<AnyHashable> else { return value.map { "\($0)" } ?? "nil" }
            return "{" + set.map { "\($0)" }.sorted().joined(separator: ", ") + "}"
        } catch {
            return (error as? KeyValueCodingError).map { "\($0.code)" } ?? "\(error)"
        }
    }

    private static let digits: [[String: Int]] = (0..<10).map { ["n": $0] }
    private static let gaps: [[String: Int?]] = [["n": 4], ["n": nil], ["n": 2], ["n": 4]]
    private static let ofTen = [
        ("@sum.n", "45"), ("@count", "10"), ("@max.n", "9"), ("@min.n", "0"), ("@avg.n", "4.5"),
    ]
    private static let ten = "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}"
    /// On arrays and on sets alike.
    private static let ofSpecimens =
        [
            ("@max.intValue", "127"), ("@min.floatValue", "-127.0"), ("@count.x.y.z", "10"),
            ("@avg.text", "typeMismatch"), ("@sum.text", "typeMismatch"), ("@avg.isFine", "typeMismatch"),
            ("@max.text", "true"), ("@min.text", ""), ("@sum.nothing", "0"), ("@max.nothing", "nil"),
            ("@distinctUnionOfObjects", "invalidOperator"), ("@unionOfArrays.text", "notACollection"),
        ]
        + ["@max", "@min", "@avg", "@sum"].flatMap {
            [("foo\($0).text", "undefinedKey"), ($0, "invalidOperator"), ("\($0).foobar", "undefinedKey")]
        }

    static let rows: [Row] = [
        ("#216", { digits }, ofTen), ("#217", { Set(digits) }, ofTen),
        (
            "#219 #237 #253", { [digits, Array(digits[..<5]), digits] },
            [
                ("@unionOfArrays.n", "\(Array(0..<10) + Array(0..<5) + Array(0..<10))"),
                ("@distinctUnionOfArrays.n", "\(Array(0..<10))"), ("@distinctUnionOfArrays", "invalidOperator"),
            ]
        ),
        (
            "#220", { [Set(digits), Set(digits[5...])] as Set },
            [("@distinctUnionOfSets.n", ten), ("@distinctUnionOfSets", "invalidOperator")]
        ),
        ("#220 of no sets", { [digits] }, [("@distinctUnionOfSets.n", "notACollection")]),
        ("#221 #253", { Set(digits) }, [("@distinctUnionOfObjects.n", ten), ("@unionOfObjects.n", "invalidOperator")]),
        (
            "#223 #251", { ["below": ["n": 1, "m": 2], "a": ["n": 1]] },
            [("@count", "2"), ("@count.n", "2")]
                + operatorsButCount.flatMap {
                    [$0, "\($0).n", "below.\($0)"].map { ($0, "invalidOperator") }
                }
        ),
        (
            "#224 #252", { gaps },
            [
                ("@count", "4"), ("@sum.n", "10"), ("@avg.n", "2.5"), ("@min.n", "2"), ("@max.n", "4"),
                ("@unionOfObjects.n", "[4, 2, 4]"), ("@distinctUnionOfObjects.n", "[4, 2]"),
            ]
        ),
        (
            "#224 in arrays", { [gaps, nil] },
            [("@unionOfArrays.n", "[4, 2, 4]"), ("@distinctUnionOfArrays.n", "[4, 2]")]
        ),
        ("#224 in sets", { [Set(gaps)] }, [("@distinctUnionOfSets.n", "{2, 4}")]),
        (
            "#225", { Array(repeating: ["n": Int?.none], count: 10) },
            [("@count", "10"), ("@avg.n", "0.0"), ("@sum.n", "0"), ("@max.n", "nil"), ("@min.n", "nil")]
        ),
        (
            "#227", { ["all": [["list": [["n": 2], ["n": 4]]], ["list": [["n": 8], ["n": 10]]]]] },
            [
                ("all.@sum.list.@avg.n", "12.0"), ("all.@sum.list.@count", "4"), ("all.@max.list.@sum.n", "18"),
                ("all.@count.list", "2"),
            ]
        ),
        (
            "#229 #231 #232 of nothing", { [Specimen]() },
            [
                ("@max.intValue", "nil"), ("@avg.intValue", "nil"), ("@sum.intValue", "0"),
                ("@distinctUnionOfObjects.intValue", "[]"),
            ]
        ),
        (
            "#239 #248 of nothing in a set", { Set<Specimen>() },
            [("@max.intValue", "nil"), ("@avg.intValue", "nil"), ("@sum.intValue", "0"), ("max.intValue", "{}")]
        ),
        (
            "#228 #229 #231 #232 #233 #235 #247", { Specimen.all },
            ofSpecimens + [
                ("@avg.intValue", "8.2"), ("@sum.intValue", "82"),
                ("@distinctUnionOfObjects.intValue", "[3, 127, -127, -6, 1, 42, 0]"),
            ]
        ),
        (
            "#239 #240 #241 #243 #244 #247", { Specimen.nine },
            ofSpecimens.filter { !$0.0.hasPrefix("@count") && !$0.0.hasPrefix("@unionOf") } + [
                ("@count", "9"), ("@sum.intValue", "40"), ("@unionOfObjects.text", "invalidOperator"),
                ("@unionOfObjects", "invalidOperator"),
                ("@distinctUnionOfObjects.intValue", "{-127, -6, 0, 1, 127, 3, 42}"),
            ]
        ),
        (
            "#236", { [[[["n": 1], ["n": 2]], ["n": 3]], [["n": 4]]] as [[Any]] },
            [("@unionOfArrays.n", "[[Optional(1), Optional(2)], 3, 4]"), ("@unionOfArrays", "invalidOperator")]
        ),
        (
            "#245", { [Set(Specimen.all[..<4]), Array(Specimen.all[3...])] as Set<AnyHashable> },
            [
                ("@unionOfArrays.intValue", "invalidOperator"),
                ("@distinctUnionOfArrays.intValue", "{-127, -6, 0, 1, 127, 3, 42}"),
            ]
        ),
    ]
}
