// 3.5: two changes of what a path reads at once, accesses in place and announcements in between.
import KeyValueObserving
import Testing

private final class Value {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A path that reads `x` and `y`, and what its observers got.
private final class EngagedPath {
    var engagement = Engagement<Value>()
    private var properties = ["x": 0, "y": 0]
    /// What each change is to read the old value for.
    var oldValueUses: [String: Engagement<Value>.OldValueUse] = [:]
    /// What each change has read and not yet noted or delivered.
    var read: [String: Value] = [:]
    var versions: [String: Int] = [:]
    private var last = "0 0"
    private var isDeferred = false
    private(set) var problem: String?

    var value: Value { Value("\(properties["x", default: 0]) \(properties["y", default: 0])") }

    func store(_ property: String) { properties[property, default: 0] += 1 }

    func notify(_ old: Value?, _ new: Value) {
        if old?.text != last { fail("told \(old?.text ?? "nothing")→\(new.text) after \(last)") }
        last = new.text
    }

    /// - Returns: Whether a change had to defer what it means.
    func deferIfBlocked(on thread: UInt64) -> Bool {
        guard transition({ $0.deferIfBlocked(on: thread) }) else { return false }
        isDeferred = true
        return true
    }

    /// Makes a transition that ends a change, as a path does.
    func transition<Result>(_ body: (inout Engagement<Value>) -> Result) -> Result {
        defer { _ = engagement.takeLeftovers() }
        return body(&engagement)
    }

    /// - Returns: Whether something was deferred.
    @discardableResult
    func unblock(on thread: UInt64? = nil) -> Bool {
        guard engagement.unblock(on: thread) else { return false }
        if engagement.isBlocked(on: 0) { fail("what was deferred is reported too early") }
        if !isDeferred { fail("what was deferred is reported twice") }
        isDeferred = false
        return true
    }

    // MARK: Several transitions in one step

    func beginAndNote(on thread: UInt64) {
        if let use = engagement.begin(on: thread).oldValueUse { engagement.note(value, for: use) }
    }

    func end(on thread: UInt64) {
        let new = value
        guard !deferIfBlocked(on: thread) else { return }
        let version = engagement.version
        if case .deliver(let old) = transition({ $0.conclude(new: new, readAt: version) }) { notify(old, new) }
    }

    // MARK: What is wrong

    func fail(_ problem: String) { self.problem = self.problem ?? problem }

    func check() -> String? {
        if let problem { return problem }
        return engagement.changes == 0 && engagement.known != nil ? "something is known and nothing under way" : nil
    }

    func checkAtEnd() -> String? {
        if isDeferred { return "what was deferred is not reported" }
        if engagement.changes != 0 { return "\(engagement.changes) changes never end" }
        return last == value.text ? nil : "told \(last) last, and is \(value.text)"
    }
}

@Suite("3.5 Interleavings of changes")
struct EngagementInterleavings {
    private typealias Steps = [Step<EngagedPath>]

    /// Before a change: it concerns the path, and the value is noted unless one is known.
    private static func will(_ name: String, on thread: UInt64) -> Steps {
        [
            Step("\(name) begins") { $0.oldValueUses[name] = $0.engagement.begin(on: thread).oldValueUse },
            Step("\(name) reads the old value") { path in
                if path.oldValueUses[name] != nil { path.read[name] = path.value }
            },
            Step("\(name) notes it") { path in
                guard let use = path.oldValueUses[name], let value = path.read.removeValue(forKey: name) else { return }
                path.engagement.note(value, for: use)
            },
        ]
    }

    /// After a change: it is deferred, or the path is evaluated, again if others were notified meanwhile.
    ///
    /// - Parameters:
    ///   - name: What the change is called.
    ///   - thread: The thread that makes it.
    ///   - position: The position of the first of the steps in those of the thread.
    /// - Returns: The steps.
    private static func did(_ name: String, on thread: UInt64, at position: Int) -> Steps {
        [
            Step(choosing: "\(name) ends") { path in
                if path.deferIfBlocked(on: thread) { return .skip(to: position + 3) }
                path.versions[name] = path.engagement.version
                return .next
            },
            Step("\(name) reads the new value") { $0.read[name] = $0.value },
            Step(choosing: "\(name) concludes") { path in
                guard let new = path.read.removeValue(forKey: name), let version = path.versions[name] else {
                    return .next
                }
                switch path.transition({ $0.conclude(new: new, readAt: version) }) {
                case .deliver(let old): path.notify(old, new)
                case .readAgain:
                    path.versions[name] = path.engagement.version
                    return .skip(to: position + 1)
                }
                return .next
            },
        ]
    }

    /// A set of a property.
    private static func set(_ property: String, on thread: UInt64, at position: Int = 0) -> Steps {
        let begin = will("set of \(property)", on: thread) + [Step("stores \(property)") { $0.store(property) }]
        return begin + did("set of \(property)", on: thread, at: position + begin.count)
    }

    /// An access in place to a property; nobody may evaluate the path meanwhile.
    private static func access(_ property: String, on thread: UInt64) -> Steps {
        let begin =
            will("access to \(property)", on: thread) + [
                Step("blocks and changes \(property) in place") { path in
                    path.engagement.block()
                    path.store(property)
                },
                Step("unblocks") { $0.unblock() },
            ]
        return begin + did("access to \(property)", on: thread, at: begin.count)
    }

    /// Accesses in place, one after the other, of which nobody is notified unless others deferred something.
    private static func quietAccesses(_ count: Int, on thread: UInt64) -> Steps {
        (0..<count).reduce(into: []) { steps, _ in
            steps += will("quiet access", on: thread) + [Step("blocks") { $0.engagement.block() }]
            let position = steps.count + 2
            steps += [
                Step(choosing: "unblocks") { $0.unblock() ? .skip(to: position) : .next },
                Step(choosing: "ends silently") { path in
                    path.transition { $0.end() }
                    return .skip(to: position + 3)
                },
            ]
            steps += did("quiet access", on: thread, at: position)
        }
    }

    /// A change of the path itself that is announced, with a set of a property inside.
    private static func announcement(around property: String, on thread: UInt64) -> Steps {
        let begin =
            will("announcement", on: thread) + [
                Step("blocks its thread") { $0.engagement.block(on: thread) },
                Step("begins a set of \(property) and stores") { path in
                    path.engagement.begin(on: thread)
                    path.store(property)
                },
                Step("ends it") { path in
                    if !path.deferIfBlocked(on: thread) { path.fail("nothing blocks the announcing thread") }
                },
                Step("unblocks its thread") { $0.unblock(on: thread) },
            ]
        return begin + did("announcement", on: thread, at: begin.count)
    }

    /// A change that turns out not to concern the path any more.
    private static func silence(on thread: UInt64) -> Steps {
        will("silent change", on: thread) + [Step("ends silently") { $0.transition { $0.end() } }]
    }

    private func explore(_ threads: [Steps], _ location: SourceLocation = #_sourceLocation) {
        var explorer = Explorer(threads: threads, make: EngagedPath.init)
        explorer.afterEachStep = { $0.check() }
        explorer.atEnd = { $0.checkAtEnd() }
        if let failure = explorer.explore().failure { Issue.record("\(failure)", sourceLocation: location) }
    }

    @Test("3.5 Two sets at once: old and new values form one chain that ends at the value")
    func twoSets() {
        explore([Self.set("x", on: 1), Self.set("y", on: 2)])
    }

    @Test("3.5 A set while another property is accessed in place is delivered when the access has ended, once")
    func setAndAccess() {
        explore([Self.set("x", on: 1), Self.access("y", on: 2)])
    }

    @Test("3.5 What is deferred while an access lasts is delivered at its end, and not at that of the next one")
    func setAndQuietAccesses() {
        explore([Self.set("x", on: 1), Self.quietAccesses(2, on: 2)])
    }

    @Test("3.5 Accesses in place on two threads: what one defers is delivered by the other")
    func twoAccesses() {
        explore([Self.access("x", on: 1), Self.access("y", on: 2)])
    }

    @Test("3.5 A set on another thread while a change of the path is announced")
    func setAndAnnouncement() {
        explore([Self.announcement(around: "x", on: 1), Self.set("y", on: 2)])
    }

    @Test("3.5 A change that ends without a word takes nothing from the others")
    func setAndSilence() {
        explore([Self.set("x", on: 1), Self.silence(on: 2)])
        explore([Self.access("x", on: 1), Self.silence(on: 2)])
    }

    @Test("3.5 Two accesses and a set, each on its own thread: what is deferred is delivered when the last access ends")
    func threeThreads() {
        func access(on thread: UInt64) -> Steps {
            [
                Step("begins an access") { path in
                    path.beginAndNote(on: thread)
                    path.engagement.block()
                },
                Step("ends it") { path in
                    if path.unblock() { path.end(on: thread) } else { path.transition { $0.end() } }
                },
            ]
        }
        let set: Steps = [
            Step("begins a set") { $0.beginAndNote(on: 1) }, Step("stores") { $0.store("x") },
            Step("ends it") { $0.end(on: 1) },
        ]
        explore([set, access(on: 2), access(on: 3)])
        explore([set, access(on: 2) + access(on: 2), access(on: 3)])
    }
}
