// Several registrations that share an inbox, beside a list: 10.1 with 11.4.
import KeyValueObserving
import Testing

@Suite("10.1 11.4 The lanes of an inbox")
struct InboxLaneTests {
    private static let policies: [KeyValueBufferingPolicy] = [
        .unbounded, .newest(1), .newest(2), .oldest(1), .oldest(2),
    ]

    @Test("10.1 11.4 Whatever comes and is taken, one policy drops, and the values of each lane form a chain")
    func everySequence() {
        for policy in Self.policies {
            // Each digit of the number to the base of three says what happens next.
            for sequence in 0..<6_561 {
                var course = LaneCourse(policy)
                if let problem = course.follow(sequence) {
                    Issue.record("\(policy) \(sequence): \(problem)")
                    return
                }
            }
        }
    }
}

/// An inbox with two lanes, and a list of what has to wait there.
private struct LaneCourse {
    private var state: InboxState<Int>
    private let policy: KeyValueBufferingPolicy
    /// What has to wait: lanes and new values.
    private var waiting: [(lane: Int, value: Int)] = []
    /// The values of the properties, and those that were delivered last.
    private var (values, delivered) = ([0, 0], [0, 0])
    private var dropped = [0, 0]
    private var problem: String?

    init(_ policy: KeyValueBufferingPolicy) {
        self.policy = policy
        state = InboxState(policy, [.old, .new], ofWholes: false, keepingTold: [true, true])
        _ = state.open([.init(value: 0), .init(value: 0)])
    }

    /// Makes what a number says, and says what is wrong.
    mutating func follow(_ sequence: Int) -> String? {
        var rest = sequence
        for _ in 0..<8 {
            if rest % 3 == 2 { take() } else { set(rest % 3) }
            rest /= 3
        }
        while !waiting.isEmpty { take() }
        for lane in 0...1 {
            set(lane)
            take()
        }
        if delivered != values { problem = problem ?? "the last values are \(delivered), not \(values)" }
        if state.lanes.map(\.droppedCount) != dropped { problem = problem ?? "the counts are wrong" }
        return problem
    }

    private mutating func set(_ lane: Int) {
        let change = KeyValueObservedChange(
            kind: .setting, newValue: values[lane] + 1, oldValue: values[lane], keyPath: \Int.self)
        values[lane] += 1
        waiting.append((lane, values[lane]))
        _ = state.add(change, whole: values[lane], in: lane)
        switch policy {
        case .newest(let count) where waiting.count > count: dropped[waiting.removeFirst().lane] += 1
        case .oldest(let count) where waiting.count > count: dropped[waiting.removeLast().lane] += 1
        default: break
        }
    }

    private mutating func take() {
        guard case .change(let change, let entry, _) = state.take() else {
            if !waiting.isEmpty { problem = problem ?? "nothing is taken" }
            return
        }
        let lane = entry.lane
        guard let expected = waiting.first, expected.lane == lane, change.newValue == expected.value else {
            problem = problem ?? "\(change) of lane \(lane) is taken, not the first of \(waiting)"
            return
        }
        if change.oldValue != delivered[lane] { problem = problem ?? "\(change) follows \(delivered[lane])" }
        waiting.removeFirst()
        delivered[lane] = expected.value
    }
}
