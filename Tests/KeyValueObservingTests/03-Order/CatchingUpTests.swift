// The remaining calls keep the order of registrations, however often they are interrupted: 3.2, P3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.2 P3 Catching up inside catching up")
struct CatchingUpTests {
    private let kept = Kept()
    private let sheet = Worksheet()
    private let log = Log()

    private func observe<Value>(
        _ keyPath: KeyPath<Worksheet, Value>, as name: String,
        _ change: @escaping (Worksheet, Value) -> Void = { _, _ in }
    ) {
        sheet.observe(keyPath) { [log] sheet, made in
            log.add("\(name) \(text(of: made))")
            change(sheet, made.requiredNewValue)
        }.store(in: kept)
    }

    @Test("3.2 P3 The rest goes on in the order of registrations where one completion interrupts another one")
    func interrupted() {
        observe(\.a, as: "h") { if $1 == 1 { $0.b = 10 } }
        observe(\.sum, as: "i") { if $1 == 1 { $0.a = 2 } }
        observe(\.sum, as: "k")
        observe(\.a, as: "l")
        sheet.a = 1
        let lines = log.take()
        #expect(Array(lines.prefix(4)) == ["h 0→1", "i 0→1", "k 0→1", "l 0→1"])
        func told(_ name: String) -> [String] { lines.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(2)) } }
        #expect(told("h") == ["0→1", "1→2"] && told("l") == ["0→1", "1→2"])
        #expect(told("i").last?.hasSuffix("→12") == true && told("k").last?.hasSuffix("→12") == true)
    }

    @Test("3.2 P3 So it does with many, each of which interrupts the one before")
    func manyInterrupted() {
        let count = 6
        // Each handler of a sets b once; each of the sum's sets a once.
        for index in 0..<count {
            observe(index.isMultiple(of: 2) ? \.a : \.sum, as: "\(index)") { [log] sheet, _ in
                let isFirst = log.lines.filter { $0.hasPrefix("\(index) ") }.count == 1
                if !isFirst { return }
                if index.isMultiple(of: 2) { sheet.b += 10 } else { sheet.a += 1 }
            }
        }
        sheet.a = 1
        let lines = log.take()
        #expect(lines.prefix(count).map { $0.prefix(1) } == (0..<count).map { "\($0)" })
        for index in 0..<count {
            let pairs = lines.filter { $0.hasPrefix("\(index) ") }.map { $0.dropFirst(2).split(separator: "→") }
            #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0[1] == $1[0] })
            #expect(pairs.last?.last.map(String.init) == "\(index.isMultiple(of: 2) ? sheet.a : sheet.sum)")
        }
    }

    @Test("P3 2.1 A set of options with bits that mean nothing is as one without them, and listed as what it is")
    func meaninglessBits() {
        for bits in [32, 64, 128, 1 << 40] as [UInt] {
            let sheet = Worksheet()
            var (depth, deepest, calls) = (0, 0, 0)
            let token = sheet.observe(\.a, options: KeyValueObservingOptions(rawValue: bits | 3)) { sheet, change in
                depth += 1
                deepest = max(deepest, depth)
                calls += change.oldValue == sheet.a - 1 && change.newValue == sheet.a ? 1 : 0
                if sheet.a < 5 { sheet.a += 1 }
                depth -= 1
            }
            sheet.a = 1
            #expect(deepest == 1 && sheet.a == 5 && calls >= 1)
            #expect(sheet.observationInfo.map(\.options) == [[.old, .new]])
            withExtendedLifetime(token) {}
        }
    }
}
