// The line of changes that wait, beside an array: 11.4.
import KeyValueObserving
import Testing

@Suite("11.4 A line of what waits")
struct WaitingLineTests {
    private enum Operation: CaseIterable {
        case append, prepend, popFirst, popLast
    }

    @Test("11.4 Whatever is put in and taken out, at either end, the line has what an array would have")
    func everySequence() {
        let count = Operation.allCases.count
        let length = 6
        for sequence in 0..<Int(pow(count, length)) {
            var (line, array, rest) = (WaitingLine<Int>(), [Int](), sequence)
            for step in 0..<length {
                let (operation, next) = (Operation.allCases[rest % count], rest / count)
                rest = next
                guard Self.perform(operation, step, &line, &array), line.count == array.count,
                    line.isEmpty == array.isEmpty
                else {
                    Issue.record("sequence \(sequence), step \(step): \(operation)")
                    return
                }
            }
            while let first = line.popFirst() {
                guard !array.isEmpty, first == array.removeFirst() else {
                    Issue.record("sequence \(sequence) leaves \(first)")
                    return
                }
            }
            guard array.isEmpty else {
                Issue.record("sequence \(sequence) lacks \(array)")
                return
            }
        }
    }

    /// - Returns: Whether both gave the same.
    private static func perform(
        _ operation: Operation, _ number: Int, _ line: inout WaitingLine<Int>, _ array: inout [Int]
    ) -> Bool {
        switch operation {
        case .append:
            line.append(number)
            array.append(number)
        case .prepend:
            line.prepend(number)
            array.insert(number, at: 0)
        case .popFirst: return line.popFirst() == (array.isEmpty ? nil : array.removeFirst())
        case .popLast: return line.popLast() == array.popLast()
        }
        return true
    }

    private func pow(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { result, _ in result * base } }
}
