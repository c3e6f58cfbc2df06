// What a combining program may do, and a table of what it did inside what.

/// One kind of operation.
enum CombinedOperation: Int, CaseIterable {
    case set, setEqual, setByOverride, setCollection, accessInPlace, mutateArray, mutateSet
    case setManually, changeElements, changeMembers
    case setShared, mutateShared, relink, setHidden, setWritten
    case will, did
    case transaction, throwingTransaction
    case observe, observeByController, observeByOwner, observeExpression, observeSeveral, end, ignore
    case observeOnExecutor, runJobs
    case observeAnyProperty, endAnyProperty, observeEach, endEach, mutateParts
    case rewire, takeBranch, readChangingGetter
    case bind, bindBothWays, unbind
    case replaceObject
    case actElsewhere

    /// What is most frequent where threads are to meet.
    static let sharing: [CombinedOperation] = [
        .setShared, .setShared, .mutateShared, .relink, .observe, .actElsewhere, .actElsewhere,
    ]

    /// What the second thread may do, whatever the first one is doing: it changes only what may be shared among threads.
    static let elsewhere: [CombinedOperation] = [
        .setShared, .setShared, .mutateShared, .mutateShared, .relink, .relink, .transaction, .throwingTransaction,
        .observe, .observeByController, .observeByOwner, .observeExpression, .observeSeveral, .end, .ignore,
        .observeOnExecutor, .runJobs, .observeAnyProperty, .endAnyProperty, .observeEach, .endEach,
    ]
}

/// Counts which operation happened inside which, and which right after which.
struct CombinedTable {
    private struct Frame {
        let operation: CombinedOperation
        var last: CombinedOperation?
    }

    private static let count = CombinedOperation.allCases.count
    /// Nothing of a user runs while a binding ends, which keeps no handler, nor while all properties are registered at, nor
    /// while it is registered who is called later.
    private static let runNothing: [CombinedOperation] = [.unbind, .observeAnyProperty, .observeOnExecutor]

    private var inside = Array(repeating: Array(repeating: 0, count: count), count: count)
    private var after = Array(repeating: Array(repeating: 0, count: count), count: count)
    private var frames: [Frame] = []
    private var lastOutermost: CombinedOperation?

    /// How many operations there were.
    private(set) var operations = 0

    mutating func begin(_ operation: CombinedOperation) {
        operations += 1
        if let outer = frames.last { inside[outer.operation.rawValue][operation.rawValue] += 1 }
        let last = frames.isEmpty ? lastOutermost : frames[frames.count - 1].last
        if let last { after[last.rawValue][operation.rawValue] += 1 }
        if frames.isEmpty { lastOutermost = operation } else { frames[frames.count - 1].last = operation }
        frames.append(Frame(operation: operation))
    }

    mutating func end() { frames.removeLast() }

    /// The pairs that did not happen, though they could.
    var missing: [String] {
        func pairs(_ table: [[Int]], _ word: String, without impossible: [CombinedOperation]) -> [String] {
            CombinedOperation.allCases.filter { !impossible.contains($0) }.flatMap { outer in
                CombinedOperation.allCases.filter { table[outer.rawValue][$0.rawValue] == 0 }
                    .map { "\($0) \(word) \(outer)" }
            }
        }
        let elsewhere = CombinedOperation.elsewhere.filter {
            inside[CombinedOperation.actElsewhere.rawValue][$0.rawValue] == 0
        }
        return pairs(inside, "inside", without: Self.runNothing + [.actElsewhere])
            + elsewhere.map { "\($0) elsewhere" } + pairs(after, "after", without: [])
    }

    static func += (left: inout CombinedTable, right: CombinedTable) {
        func sum(_ left: inout [[Int]], _ right: [[Int]]) {
            for row in left.indices { for column in left.indices { left[row][column] += right[row][column] } }
        }
        sum(&left.inside, right.inside)
        sum(&left.after, right.after)
        left.operations += right.operations
    }
}

extension CombinedTable: CustomStringConvertible {
    /// A row for each operation: how often each operation happened inside it, and how often right after it.
    var description: String {
        func text(_ title: String, _ table: [[Int]]) -> String {
            let rows = CombinedOperation.allCases.map { row in
                "| \(row) | " + table[row.rawValue].map { "\($0)" }.joined(separator: " | ") + " |"
            }
            let head = "| \(title) | " + CombinedOperation.allCases.map { "\($0)" }.joined(separator: " | ") + " |"
            return ([head] + rows).joined(separator: "\n")
        }
        return text("inside", inside) + "\n\n" + text("after", after)
    }
}
