// Delivery on event loops of SwiftNIO, and the server that uses it.
import KeyValueObserving
import NIOCore
import NIOPosix
import Testing

@testable import status

@Suite struct StatusTests {
    private let download = Download("a")

    @Test func `handlers run in the event loop, once for each change and in order`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let all = loop.makePromise(of: [Int].self)
        let seen = NIOLoopBoundBox.makeBoxSendingValue([Int](), eventLoop: loop)
        let token = download.changes(of: \.percent, options: .new).deliver(on: EventLoopExecutor(eventLoop: loop)) {
            change in
            #expect(loop.inEventLoop)
            seen.value.append(change.requiredNewValue)
            if seen.value.count == 1_000 { all.succeed(seen.value) }
        }
        await withTaskGroup { [download] tasks in
            for _ in 0..<4 {
                tasks.addTask { for _ in 0..<250 { download.percent += 1 } }
            }
        }
        #expect(try await all.futureResult.get() == Array(1...1_000))
        withExtendedLifetime(token) {}
    }

    @Test func `nothing arrives after the end`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let count = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let token = download.changes(of: \.percent).deliver(on: EventLoopExecutor(eventLoop: loop)) { _ in
            count.value += 1
        }
        try await loop.submit { [download] in
            download.percent = 1
            token.invalidate()
        }.get()
        // What was accepted before has run when this does.
        #expect(try await loop.submit { count.value }.get() == 0)
    }

    // MARK: The server

    /// Runs a function with a server of a journal, and shuts that down.
    private func serving(
        capacity: Int = 100, _ body: (StatusServer, Journal) async throws -> Void
    ) async throws {
        let journal = Journal(of: download, capacity: capacity)
        let server = try await StatusServer(of: journal, on: MultiThreadedEventLoopGroup.singleton)
        let serving = Task { try await server.run() }
        try await body(server, journal)
        serving.cancel()
        try? await serving.value
        #expect(journal.observationInfo.isEmpty)
    }

    private func client(of server: StatusServer) async throws -> StatusClient {
        try await StatusClient(port: server.port, on: MultiThreadedEventLoopGroup.singleton)
    }

    @Test func `a client gets the state, and then each change with its number`() async throws {
        download.percent = 10
        try await serving { [download] server, _ in
            var lines: [String] = []
            try await client(of: server).forEachLine { line in
                lines.append(line)
                download.percent += 45
                return lines.count < 3
            }
            #expect(lines[0].contains(#""number":0"#) && lines[0].contains(#""percent":10"#))
            #expect(lines[1].contains(#""number":1"#) && lines[1].contains(#""new":55"#))
            #expect(lines[2].contains(#""number":2"#) && lines[2].contains(#""new":100"#))
        }
    }

    @Test func `a client that comes back gets what it missed, or how much that was and the state`() async throws {
        try await serving { [download] server, _ in
            for percent in 1...150 { download.percent = percent }
            var lines: [String] = []
            try await client(of: server).forEachLine(after: 148) { line in
                lines.append(line)
                return lines.count < 2
            }
            #expect(lines[0].contains(#""new":149"#) && lines[1].contains(#""new":150"#))
            lines = []
            try await client(of: server).forEachLine(after: 20) { line in
                lines.append(line)
                return lines.count < 2
            }
            #expect(lines[0].contains(#""dropped":130"#) && lines[1].contains(#""percent":150"#))
        }
    }

    @Test func `what a client does not read is dropped, and reported when it reads again`() async throws {
        try await serving(capacity: 10) { [download] server, journal in
            var (dropped, last) = (0, 0)
            try await client(of: server).forEachLine {
                while journal.observationInfo.isEmpty { await Task.yield() }
                // A line takes longer to be made than ten changes.
                for percent in 1...20_000 { download.percent = percent }
                #expect(journal.observationInfo.allSatisfy { $0.label == "client" })
            } _: { line in
                func number(_ pattern: Regex<(Substring, Substring)>) -> Int {
                    line.firstMatch(of: pattern).flatMap { Int($0.1) } ?? 0
                }
                dropped += number(/"dropped":(\d+)/)
                last = max(last, number(/"number":(\d+)/))
                return last < 20_000
            }
            #expect(dropped > 0 && last == 20_000)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `clients that close are gone, while nothing changes`() async throws {
        try await serving { server, journal in
            for _ in 0..<50 { try await client(of: server).forEachLine { _ in false } }
            while !journal.observationInfo.isEmpty { await Task.yield() }
        }
    }

    @Test func `keys are in the order of their letters`() throws {
        let journal = Journal(of: download)
        download.percent = 5
        for (number, line) in [
            (0, #"{"change":{"kind":"setting","name":"percent","new":5,"old":0},"number":1}"#),
            (nil, #"{"number":1,"percent":5}"#),
        ] as [(Int?, String)] {
            var position = number
            #expect(try journal.lines(after: &position).map { String(buffer: $0) } == line + "\n")
        }
    }

    @Test func `when the server ends, its clients' connections do`() async throws {
        let journal = Journal(of: download)
        let server = try await StatusServer(of: journal, on: MultiThreadedEventLoopGroup.singleton)
        let serving = Task { try await server.run() }
        try await client(of: server).forEachLine { _ in
            serving.cancel()
            return true
        }
        try? await serving.value
        #expect(journal.observationInfo.isEmpty)
    }
}
