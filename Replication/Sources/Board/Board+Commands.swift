// Changing a board by commands.
import KeyValueObserving

extension Board {
    /// Runs the command of a line: `title Groceries`, `add milk`, `insert 0 milk`, `remove 0`, `vote milk`, or `do
    /// milk`, which moves the card to the end and counts a vote, in one transaction.
    ///
    /// - Parameter line: The line.
    /// - Returns: Whether it was understood.
    public func perform(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { return false }
        let (command, rest) = (words[0], words[1])
        switch command {
        case "title": title = rest
        case "add": mutable(\.cards).append(rest)
        case "insert":
            let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2, let index = Int(parts[0]), 0...cards.count ~= index else { return false }
            mutable(\.cards).insert(parts[1], at: index)
        case "remove":
            guard let index = Int(rest), cards.indices ~= index else { return false }
            mutable(\.cards).remove(at: index)
        case "vote": mutable(\.votes)[rest, default: 0] += 1
        case "do":
            guard let index = cards.firstIndex(of: rest) else { return false }
            withKeyValueTransaction {
                mutable(\.cards).remove(at: index)
                mutable(\.cards).append(rest)
                mutable(\.votes)[rest, default: 0] += 1
            }
        default: return false
        }
        return true
    }
}
