// Whether the olds and news that an observer hears form one chain.
import KeyValueObserving

/// The changes that one observer was given, with old and new.
final class Chain<Value: Equatable> {
    private var links: [(old: Value, new: Value)] = []

    func add(_ change: KeyValueObservedChange<Value>) {
        guard !change.isPrior, let old = change.oldValue, let new = change.newValue else { return }
        links.append((old, new))
    }

    /// Empty if there was a change, each old is the new before it and the ends are these; otherwise what was heard.
    func breaks(from first: Value, to last: Value) -> String {
        let news = [first] + links.map(\.new)
        let isUnbroken = zip(links, news).allSatisfy { $0.old == $1 }
        return isUnbroken && !links.isEmpty && news.last == last
            ? "" : "heard [\(links.map { "\($0.old)→\($0.new)" }.joined(separator: ", "))], from \(first) to \(last)"
    }
}
