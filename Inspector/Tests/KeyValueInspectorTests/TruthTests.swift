// That what the page is sent is true: of many objects, at rest, started late, and while much changes.
import FlyingFox
import Foundation
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import Testing

@testable import KeyValueInspector

private final class Job: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var remaining = 0
}

private final class Robot: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var job: Job?
    @Observed var steps = 0
    @Observed var words: [String] = []
    @Observed var report = Report()
    @Observed var closed = Closed()
    var isIdle: Bool {
        accessValue(for: \.isIdle)
        return job == nil
    }
}

private struct Report { var (title, parts): (String, [String?]) = ("", []) }

/// May lead to an object, so that only the thread that has it may describe it.
private struct Closed { var call: () -> Void = {} }

private final class Leader: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var robot = Robot()
    @Observed var robots: [Robot] = []
}

private final class Shared: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var count = 1
}

@MainActor private final class Screen: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = "first"
}

extension InspectorTests {
    /// One after the other, because tracing concerns the whole process.
    @Suite(.serialized)
    struct TruthTests {
        /// The next message of a session that has something.
        private func next(
            _ session: Session, _ type: String = "snapshot", where has: ([String: Any]) -> Bool = { _ in true }
        ) async throws -> [String: Any] {
            while true {
                let frame = try #require(await session.nextFrame())
                let message = try #require(JSONSerialization.jsonObject(with: frame.payload) as? [String: Any])
                if message["type"] as? String == type, has(message) { return message }
            }
        }

        private func search(_ text: String, _ session: Session) async throws -> [String: Any] {
            let question = Data("{\"search\":\"\(text)\"}".utf8)
            await session.receive(WSFrame(fin: true, opcode: .text, mask: nil, payload: question))
            return try await next(session) { $0["search"] as? String == text }
        }

        private func objects(_ snapshot: [String: Any], _ list: String = "objects") -> [[String: Any]] {
            snapshot[list] as? [[String: Any]] ?? []
        }

        private func names(_ objects: [[String: Any]]) -> [String] {
            objects.map { "\($0["type"] ?? "") \($0["number"] ?? "")" }
        }

        /// The values of an object, each with its key path; those that may be something else by now have a question mark.
        private func values(_ name: String, in snapshot: [String: Any]) -> [String] {
            let object = objects(snapshot).first { "\($0["type"] ?? "") \($0["number"] ?? "")" == name }
            return (object?["values"] as? [[String: Any]] ?? []).map {
                "\($0["keyPath"] ?? "") \($0["text"] ?? "")\($0["age"] == nil ? "" : "?")"
            }
        }

        /// Expects values of the first robot.
        private func expect(_ values: [String], _ session: Session) async throws {
            let snapshot = try await next(session)
            #expect(self.values("Robot 1", in: snapshot) == values)
        }

        private func sum(_ snapshot: [String: Any], _ list: String, _ count: String) -> Int {
            objects(snapshot, list).reduce(0) { $0 + ($1[count] as? Int ?? 0) }
        }

        /// Changes a robot until little is recorded, and calls `body` then.
        private func flooded(_ robot: Robot, _ body: () -> Void) {
            let before = KeyValueTrace.unrecordedCount
            while KeyValueTrace.unrecordedCount < before + 100 { robot.steps += 1 }
            body()
        }

        @Test("One object of each class comes first, then those that changed last; the rest is counted and found")
        func manyObjects() async throws {
            try await InspectorTests.withInspector { _ in
                let robots = (0..<3_000).map { _ in Robot() }
                let leader = Leader()
                var tokens = robots.map { $0.observe(\.steps) { _, _ in } }
                tokens.append(leader.observe(\.robot) { _, _ in })
                robots[7].steps = 77
                let session = Session()
                let snapshot = try await next(session)
                #expect(objects(snapshot).count == 200)
                let listed = names(objects(snapshot))
                #expect(listed.prefix(2) == ["Leader 1", "Robot 8"], "in the order of classes and numbers")
                #expect(listed.last == "Robot 3000" && !listed.contains("Robot 9"))
                #expect(snapshot["objectCount"] as? Int == 3_001 && snapshot["registrationCount"] as? Int == 3_001)
                let classes = objects(snapshot, "classes").map { "\($0["type"] ?? "") \($0["count"] ?? "")" }
                #expect(classes == ["Leader 1", "Robot 3000"])
                #expect(objects(snapshot, "silent").map { $0["silent"] as? Int } == [2_999, 1])

                let found = try await search("robot 9", session)
                #expect(found["matchCount"] as? Int == 111)
                #expect(names(objects(found, "matches")).prefix(2) == ["Robot 9", "Robot 90"])
                #expect(names(objects(found)) == listed, "the others stay")
                for (text, count) in [("steps 77", 1), ("TRUTHTESTS.SWIFT", 3_001), ("nowhere", 0)] {
                    let found = try await search(text, session)
                    #expect(found["matchCount"] as? Int == count)
                }

                robots[8].steps = 1
                let changed = try await next(session) { names(objects($0)).contains("Robot 9") }
                #expect(names(objects(changed)).count == 200)
                withExtendedLifetime(tokens) {}
            }
        }

        @Test("At rest the values are those that the program has, whatever was not recorded, and a path has one name")
        func rest() async throws {
            try await InspectorTests.withInspector { _ in
                let (robot, leader) = (Robot(), Leader())
                let both: KeyValueObservingOptions = [.old, .new]
                let tokens = [
                    robot.observe(\.job?.remaining, options: [.initial, .old, .new]) { _, _ in },
                    robot.observe(\.steps, options: both) { _, _ in }, robot.observe(\.job, options: both) { _, _ in },
                    robot.observe(\.words, options: both) { _, _ in },
                    robot.observe(\.report, options: both) { _, _ in },
                    robot.observe(\.closed, options: both) { _, _ in },
                    robot.observe(\.isIdle, options: both) { _, _ in },
                    leader.observe(\.robots, options: both) { _, _ in },
                ]
                let session = Session()
                robot.closed = Closed()
                let name = try #require(values("Robot 1", in: try await next(session)).last { $0.hasPrefix("closed") })
                flooded(robot) {
                    let job = Job()
                    robot.job = job
                    for remaining in 1...9 { job.remaining = remaining }
                    robot.words = (0..<40).map { "\($0)" }
                    robot.report = Report(title: "long", parts: ["part", nil])
                    leader.robots = [robot, Robot(), Robot()]
                    // Meanwhile recording may have gone on.
                    let before = KeyValueTrace.unrecordedCount
                    while KeyValueTrace.unrecordedCount == before { robot.closed = Closed() }
                }
                let snapshot = try await next(session)
                let words = "[\((0..<32).map { "\"\($0)\"" }.joined(separator: ", "))] and 8 more"
                let report = String(describing: robot.report)
                #expect(
                    values("Robot 1", in: snapshot) == [
                        "\(name)?", "isIdle false", "job Job 1", "job.remaining 9", "report \(report)",
                        "steps \(robot.steps)", "words \(words.prefix(80))…",
                    ])
                #expect(values("Leader 1", in: snapshot) == ["robots 3 × Robot"])
                flooded(robot) { robot.job = nil }
                let end = values("Robot 1", in: try await next(session))
                #expect(end.contains("isIdle true") && end.contains("job nil") && end.contains("job.remaining nil"))
                withExtendedLifetime(tokens) {}
            }
        }

        @Test("A value that nobody observes any more says since when it is known")
        func unobserved() async throws {
            try await InspectorTests.withInspector { _ in
                let robot = Robot()
                let token = robot.observe(\.steps) { _, _ in }
                robot.steps = 5
                let session = Session()
                try await expect(["steps 5"], session)
                token.invalidate()
                robot.steps = 6
                try await expect(["steps 5?"], session)
                let again = robot.observe(\.steps) { _, _ in }
                try await expect(["steps 5?"], session)
                robot.steps = 7
                try await expect(["steps 7"], session)
                withExtendedLifetime(again) {}
            }
        }

        @MainActor private func meet(_ screen: Screen) { _ = KeyValueTrace.graph(of: screen) }

        @MainActor private func observed(_ screen: Screen) -> KeyValueObservation {
            screen.observe(\.title) { _, _ in }
        }

        @Test("Read is what can be: shared properties, and on the main actor those that have a handler there")
        func reading() async throws {
            let shared = Shared()
            let screen = Screen()
            var tokens = [await observed(screen)]
            tokens.append(shared.observe(\.count) { _, _ in })
            try await InspectorTests.withInspector { _ in
                _ = KeyValueTrace.graph(of: shared)
                await meet(screen)
                let session = Session()
                // A session begins with an event.
                tokens.append(shared.observe(\.count) { _, _ in })
                let snapshot = try await next(session) { values("Screen 1", in: $0) == ["title first"] }
                #expect(values("Shared 1", in: snapshot) == ["count 1"])
            }
            withExtendedLifetime(tokens) {}
        }

        @Test("Calls, drops and evaluations are those that the program counts", arguments: [false, true])
        func counts(isLate: Bool) async throws {
            final class Count { var calls = [0, 0, 0] }
            let (robots, count) = ((0..<5).map { _ in Robot() }, Count())
            func register() -> [KeyValueObservation] {
                robots.flatMap { robot in
                    [
                        robot.observe(\.steps) { _, _ in count.calls[0] += 1 },
                        robot.observe(\.isIdle, options: .distinct) { _, _ in count.calls[1] += 1 },
                        robot.observe(reading: { $0.steps / 2 }) { _, _ in count.calls[2] += 1 },
                        robot.observe(\.words) { _, _ in },
                    ]
                }
            }
            var tokens = isLate ? register() : []
            let iterators = robots.map { robot in
                robot.values(of: \.steps).buffer(policy: .bufferingNewest(1)).makeAsyncIterator()
            }
            try await InspectorTests.withInspector { _ in
                if !isLate { tokens = register() }
                for round in 0..<2_000 {
                    for robot in robots {
                        robot.steps += 1
                        if round % 3 == 0 { robot.job = robot.job == nil ? Job() : nil }
                    }
                }
                let session = Session()
                let snapshot = try await next(session)
                let handlers = objects(snapshot, "handlers")
                func calls(_ isWanted: (String) -> Bool) -> Int {
                    handlers.filter { isWanted($0["keyPath"] as? String ?? "") && $0["dropped"] as? Int == 0 }
                        .reduce(0) { $0 + ($1["calls"] as? Int ?? 0) }
                }
                #expect(calls { $0 == "steps" } == count.calls[0] && count.calls[0] == 10_000)
                #expect(calls { $0 == "isIdle" } == count.calls[1])
                #expect(calls { $0.hasPrefix("the expression") } == count.calls[2])
                let dropped = robots.flatMap(\.observationInfo).reduce(0) { $0 + $1.droppedCount }
                #expect(sum(snapshot, "handlers", "dropped") == dropped && dropped > 9_000)
                #expect(sum(snapshot, "silent", "silent") == 10, "a line and a sequence of each robot")
                let evaluations = objects(snapshot, "evaluations").first {
                    ($0["keyPath"] as? String)?.hasPrefix("the expression") == true
                }
                // Started early it has seen the first ones, too.
                #expect(evaluations?["count"] as? Int == 10_000 + (isLate ? 0 : 5))
                #expect((evaluations?["recorded"] as? Int ?? 0) < 10_000, "not all is recorded")
            }
            withExtendedLifetime((tokens, iterators)) {}
        }

        @Test("A computed property that says its name is one, also where a path leads to it")
        func computed() async throws {
            try await InspectorTests.withInspector { _ in
                let leader = Leader()
                let token = leader.observe(\.robot.isIdle) { _, _ in }
                let snapshot = try await next(Session())
                let dependents = try #require(objects(snapshot).first?["dependents"] as? [[String: Any]])
                let reads = try #require(dependents.first?["reads"] as? [[String: Any]])
                #expect(reads.map { $0["keyPath"] as? String } == ["robot", "isIdle", "job"])
                #expect(reads.map { $0["isComputed"] as? Bool } == [false, true, false])
                #expect(reads.map { $0["number"] as? Int } == [1, 1, 1])
                withExtendedLifetime(token) {}
            }
        }
    }
}
