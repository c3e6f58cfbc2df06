// 3.5: a change of the property that a path ends at, and another one that leads the path elsewhere.
import KeyValueObserving
import Testing

private final class Value {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// A path that ends at a property until it is led elsewhere, and what its observers got.
private final class LeafPath {
    enum Change { case ofProperty, leadingElsewhere, leadingNowhere }

    private var engagement = Engagement<Value>()
    private var property = 0
    private var isElsewhere = false
    /// Whether the path has been evaluated since it leads elsewhere.
    private var hasFollowed = false
    private var startVersion = 0
    private var oldValueUses: [Change: Engagement<Value>.OldValueUse] = [:]
    private var read: [Change: (value: Value, version: Int)] = [:]
    private var last = 0
    private var problem: String?

    /// What the property is before its change, for which the path is not read, is 0.
    private static let ownOld = 0

    private var value: Int { isElsewhere ? 50 : property }

    /// - Returns: Whether the change concerns the path.
    func begin(_ change: Change) -> Bool {
        if hasFollowed { return false }
        oldValueUses[change] = engagement.begin(isLeaf: change == .ofProperty).oldValueUse
        startVersion = change == .ofProperty ? engagement.version : startVersion
        return true
    }

    func note(_ change: Change) {
        if let use = oldValueUses[change] { engagement.note(Value(value), for: use) }
    }

    func store(_ change: Change) {
        switch change {
        case .ofProperty: property += 1
        case .leadingElsewhere: isElsewhere = true
        case .leadingNowhere: break
        }
    }

    /// - Returns: Whether the path is to be evaluated.
    func end(_ change: Change) -> Bool {
        defer { _ = engagement.takeLeftovers() }
        guard change == .ofProperty else { return true }
        if engagement.version != startVersion, hasFollowed {
            engagement.end()
            return false
        }
        guard engagement.concludeAlone() else { return true }
        notify(Self.ownOld, property)
        return false
    }

    func evaluate(_ change: Change) {
        read[change] = (Value(value), engagement.version)
        hasFollowed = isElsewhere
    }

    /// - Returns: Whether that is done.
    func conclude(_ change: Change) -> Bool {
        guard let read = read[change] else { return true }
        defer { _ = engagement.takeLeftovers() }
        guard case .deliver(let old) = engagement.conclude(new: read.value, readAt: read.version) else { return false }
        notify(old?.number ?? Self.ownOld, read.value.number)
        return true
    }

    private func notify(_ old: Int, _ new: Int) {
        if old != last { problem = problem ?? "told \(old)→\(new) after \(last)" }
        last = new
    }

    func check() -> String? {
        if let problem { return problem }
        return engagement.changes == 0 && engagement.known != nil ? "something is known and nothing under way" : nil
    }

    func checkAtEnd() -> String? {
        last == value ? nil : "told \(last) last, and is \(value)"
    }
}

@Suite("3.5 Interleavings at the end of a path")
struct LeafInterleavings {
    private static func steps(_ name: String, _ change: LeafPath.Change) -> [Step<LeafPath>] {
        [
            Step(choosing: "\(name) begins") { $0.begin(change) ? .next : .skip(to: 6) },
            Step("\(name) notes the old value") { $0.note(change) },
            Step("\(name) stores") { $0.store(change) },
            Step(choosing: "\(name) ends") { $0.end(change) ? .next : .done },
            Step("\(name) evaluates") { $0.evaluate(change) },
            Step(choosing: "\(name) concludes") { $0.conclude(change) ? .done : .skip(to: 4) },
            Step("\(name) stores for nobody") { $0.store(change) },
        ]
    }

    @Test(
        "3.5 A property at a path's end changes while an object on the way is set to another, or the same: one chain",
        arguments: [LeafPath.Change.leadingElsewhere, .leadingNowhere])
    private func leading(_ change: LeafPath.Change) {
        var explorer = Explorer(
            threads: [Self.steps("set", .ofProperty), Self.steps("leading", change)], make: LeafPath.init)
        explorer.afterEachStep = { $0.check() }
        explorer.atEnd = { $0.checkAtEnd() }
        #expect(explorer.explore().failure == nil)
    }
}
