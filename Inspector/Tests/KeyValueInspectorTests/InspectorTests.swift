// The requests answered, and the messages sent: D22.
import FlyingFox
import FlyingSocks
import Foundation
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import Testing

@testable import KeyValueInspector

private final class Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
    @Observed var copy = 0
    @Observed var text = ""
    var double: Int { value * 2 }
}

/// One after the other, because tracing concerns the whole process.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InspectorTests {
    static func withInspector(
        capacity: Int = 10_000, valueLength: Int = 80, _ body: (Client) async throws -> Void
    ) async throws {
        let inspector = KeyValueInspector.start(
            port: 0, capacity: capacity, valueLength: valueLength, printsAddress: false)
        do { try await body(Client(inspector)) } catch {
            await inspector.stop()
            throw error
        }
        await inspector.stop()
    }

    @Test("The page is answered to who has the token, and says that nothing else may be loaded, nor show it or keep it")
    func page() async throws {
        try await Self.withInspector { client in
            let answer = try await client.ask(token: client.token)
            #expect(answer.status == "200")
            let headers = Set(answer.headers)
            for header in [
                """
                Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
                """,
                "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            ] {
                #expect(headers.contains(header))
            }
            let own = "http://127.0.0.1:\(client.port)"
            #expect(try await client.ask(token: client.token, origin: own).status == "200")
        }
    }

    @Test("Nobody else is answered")
    func refusals() async throws {
        try await Self.withInspector { client in
            let token = client.token
            for wrong in [nil, "", "0", String(token.dropLast()) + "x", token + "0", "\(token)&token=\(token)"] {
                #expect(try await client.ask(token: wrong).status == "403")
                #expect(try await client.ask("GET", "/events", token: wrong).status == "403")
            }
            for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:\(client.port)"] {
                #expect(try await client.ask(token: token, origin: origin).status == "403")
                let connection = try await client.open(origin: origin)
                #expect(connection.status == "403")
                connection.close()
            }
            for host in ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:x", "evil.example:\(client.port)"] {
                #expect(try await client.ask(token: token, host: host).status == "403")
            }
            #expect(try await client.ask(token: token, namesHost: false).status == "403")
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                #expect(try await client.ask(method, token: token).status == "405")
            }
            #expect(try await client.ask("GET", "/other", token: token).status == "404")
        }
    }

    #if os(Linux)
    // Elsewhere the machine has no second address that is always there.
    @Test("It listens on 127.0.0.1 alone")
    func address() async throws {
        try await Self.withInspector { client in
            let other: sockaddr_in = try .inet(ip4: "127.0.0.2", port: client.port)
            await #expect(throws: SocketError.self) { try await AsyncSocket.connected(to: other, pool: .client) }
        }
    }
    #endif

    @Test("Objects, changes and what they cause are sent; an explanation is the trace's; nothing else is answered")
    func messages() async throws {
        try await Self.withInspector { client in
            let counter = Counter()
            let observation = counter.observe(\.double) { counter, _ in counter.copy = counter.double }
            let other = counter.observe(\.copy) { _, _ in }
            defer { withExtendedLifetime((observation, other)) {} }
            let connection = try await client.open()
            defer { connection.close() }
            #expect(connection.status == "101")
            // What a property was before its first traced change need not be known.
            counter.value = 20
            counter.value = 21

            // An event that is sent while it is under way has no values yet, and is sent again.
            func isCopied(_ event: [String: Any]) -> Bool {
                event["kind"] as? String == "change" && event["keyPath"] as? String == "copy"
                    && event["newValue"] as? String == "42"
            }
            let batch = try await connection.next("events") { message in
                (message["events"] as? [[String: Any]])?.contains(where: isCopied) == true
            }
            let events = try #require(batch["events"] as? [[String: Any]])
            let change = try #require(events.first(where: isCopied))
            #expect(change["oldValue"] as? String == "40")
            #expect(change["cause"] != nil)

            let snapshot = try await connection.next("snapshot") { message in
                let objects = message["objects"] as? [[String: Any]]
                let values = objects?.first?["values"] as? [[String: Any]]
                return values?.contains { $0["keyPath"] as? String == "copy" && $0["text"] as? String == "42" } == true
            }
            let object = try #require((snapshot["objects"] as? [[String: Any]])?.first)
            #expect((object["type"] as? String)?.contains("Counter") == true)
            let observers = try #require(object["observers"] as? [[String: Any]])
            #expect(observers.allSatisfy { ($0["place"] as? String)?.contains("InspectorTests.swift:") == true })
            let dependents = try #require(object["dependents"] as? [[String: Any]])
            #expect(dependents.count == 1)
            #expect((dependents.first?["reads"] as? [[String: Any]])?.first?["keyPath"] as? String == "value")

            let number = try #require(change["number"] as? UInt64)
            try await connection.send("{\"explain\":\(number)}")
            let explanation = try await connection.next("explanation")
            let event = try #require(KeyValueTrace.event(number))
            let sentences = try #require(explanation["sentences"] as? [[String: Any]])
            let text = sentences.compactMap { $0["text"] as? String }.joined(separator: "\n")
            // The page calls objects by their numbers.
            #expect(text.contains("of Counter 1") && change["objectNumber"] as? Int == 1)
            #expect(text.replacing("Counter 1", with: "Counter") == KeyValueTrace.explain(event))
            #expect(sentences[0]["number"] as? UInt64 == number)

            for request in ["{\"set\":1}", "x", "{\"explain\":-1}", "{\"explain\":18446744073709551615}"] {
                try await connection.send(request)
                #expect(try await connection.next("error")["message"] != nil)
            }
        }
    }

    @Test("Of a flood some events are recorded, and the page is sent how many were not; then recording goes on")
    func flood() async throws {
        try await Self.withInspector { client in
            let counter = Counter()
            let observation = counter.observe(\.value) { _, _ in }
            defer { withExtendedLifetime(observation) {} }
            let ended = counter.observe(\.value) { _, _ in }
            func change() {
                let before = KeyValueTrace.unrecordedCount
                while KeyValueTrace.unrecordedCount < before + 1_000, counter.value < 1_000_000 { counter.value += 1 }
                #expect(KeyValueTrace.unrecordedCount >= before + 1_000)
            }
            change()
            let connection = try await client.open()
            defer { connection.close() }
            let first = try await connection.next("events")
            let events = try #require(first["events"] as? [[String: Any]])
            #expect(events.count <= 200)
            #expect(first["leftOut"] as? Int == 0, "what was before the page was opened is no loss")
            change()
            var leftOut = 0
            while leftOut < 1_000 { leftOut += try #require(try await connection.next("events")["leftOut"] as? Int) }

            func isRecorded(_ message: [String: Any]) -> Bool {
                (message["events"] as? [[String: Any]])?.contains { $0["newValue"] as? String == "-1" } ?? false
            }
            // The limit is renewed by and by.
            repeat { counter.value = -1 } while !isRecorded(try await connection.next("events"))
            // Calls are counted where they are made, recorded or not.
            let calls = counter.observationInfo[0].deliveredCount
            ended.invalidate()
            func counts(_ message: [String: Any], _ list: String) -> [Int] {
                (message[list] as? [[String: Any]] ?? []).compactMap { $0["calls"] as? Int }
            }
            _ = try await connection.next("snapshot") { message in
                let object = (message["objects"] as? [[String: Any]])?.first ?? [:]
                return counts(object, "observers") == [calls] && counts(message, "handlers") == [calls, calls]
            }
        }
    }

    @Test("A message has at most 200 events, and the page is sent how many were left out")
    func largeMessages() async throws {
        try await Self.withInspector { client in
            let counter = Counter()
            // Whatever one change causes is recorded.
            let observations = (0..<300).map { _ in counter.observe(\.value) { _, _ in } }
            defer { withExtendedLifetime(observations) {} }
            let session = Session()
            func next() async throws -> [String: Any] {
                let frame = try #require(await session.nextFrame())
                return try #require(JSONSerialization.jsonObject(with: frame.payload) as? [String: Any])
            }
            _ = try await next()
            counter.value = 1
            var message: [String: Any] = [:]
            repeat { message = try await next() } while message["type"] as? String != "events"
            #expect((message["events"] as? [Any])?.count == 200)
            // A change and 300 calls.
            #expect(message["leftOut"] as? Int == 101)
        }
    }

    @Test("The page is sent at most 200 objects and 1,000 observers, and how many were left out")
    func largeSnapshots() async throws {
        try await Self.withInspector { client in
            let counters = (0..<205).map { _ in Counter() }
            let observations = counters.flatMap { counter in
                (0..<6).map { _ in counter.observe(\.value) { _, _ in } }
            }
            defer { withExtendedLifetime(observations) {} }
            let connection = try await client.open()
            defer { connection.close() }
            let snapshot = try await connection.next("snapshot")
            let objects = try #require(snapshot["objects"] as? [[String: Any]])
            #expect(objects.count == 200)
            #expect(objects.reduce(0) { $0 + (($1["observers"] as? [Any])?.count ?? 0) } <= 1_000)
            #expect(snapshot["objectCount"] as? Int == 205)
            #expect(snapshot["registrationCount"] as? Int == 1_230)
            #expect(objects.allSatisfy { $0["observerCount"] as? Int == 6 })
            let classes = try #require(snapshot["classes"] as? [[String: Any]])
            #expect(classes.map { $0["count"] as? Int } == [205])
        }
    }

    @Test("What a page asks faster than it is answered is dropped")
    func manyQuestions() async throws {
        try await Self.withInspector { _ in
            let session = Session()
            for _ in 0..<100 {
                await session.receive(WSFrame(fin: true, opcode: .text, mask: nil, payload: Data("x".utf8)))
            }
            let counter = Counter()
            let observation = counter.observe(\.value) { _, _ in }
            defer { withExtendedLifetime(observation) {} }
            // Answers come first, then the event of the registration.
            for _ in 0..<16 {
                let answer = try #require(await session.nextFrame())
                #expect(String(decoding: answer.payload, as: UTF8.self).contains("\"type\":\"error\""))
            }
            let next = try #require(await session.nextFrame())
            #expect(String(decoding: next.payload, as: UTF8.self).contains("\"type\":\"events\""))
        }
    }

    @Test("A page gets at most 60 messages a second, however many it asks for")
    func rate() async throws {
        try await Self.withInspector { client in
            // The clock starts before the first message is sent, so a slow machine can only make it more.
            let start = ContinuousClock.now
            let connection = try await client.open()
            defer { connection.close() }
            for _ in 0..<31 {
                try await connection.send("x")
                _ = try await connection.next("error")
            }
            #expect(start.duration(to: .now) >= .seconds(30) / 60)
        }
    }

    @Test("Neither the program nor another page waits for a page that does not read, and nothing piles up for it")
    func slowPage() async throws {
        let capacity = 8
        let length = 500_000
        try await Self.withInspector(capacity: capacity, valueLength: length) { client in
            let counter = Counter()
            let observation = counter.observe(\.text, options: .new) { _, _ in }
            defer { withExtendedLifetime(observation) {} }
            let silent = try await client.open(receiveBuffer: 4_096)
            defer { silent.close() }
            let reading = try await client.open()
            defer { reading.close() }

            func texts(_ message: [String: Any]) -> [String] {
                let events = message["events"] as? [[String: Any]] ?? []
                return events.filter { $0["kind"] as? String == "change" }.compactMap { $0["newValue"] as? String }
            }
            // 40 MB, several times what the buffers of a connection can become.
            let rounds = 80
            for round in 0..<rounds {
                let mark = String(1_000 + round)
                counter.text = mark + String(repeating: ".", count: length - mark.count)
                _ = try await reading.next("events") { texts($0).contains { $0.hasPrefix(mark) } }
            }

            // What the page gets after what the buffers held is what is kept then; the rest was never made for it.
            var marks: [String] = []
            var leftOut = 0
            while marks.last != String(1_000 + rounds - 1) {
                let message = try await silent.next("events")
                marks += texts(message).map { String($0.prefix(4)) }
                leftOut += try #require(message["leftOut"] as? Int)
            }
            #expect(leftOut > 0)
            #expect(marks.count < rounds - capacity)
            #expect(marks == marks.sorted())
        }
    }

    @Test("Started late, it counts what was registered before, and lists all observers of objects that change")
    func lateStart() async throws {
        let counters = (0..<3).map { _ in Counter() }
        var tokens: [KeyValueObservation] = []
        for counter in counters {
            tokens.append(counter.observe(\.value) { _, _ in })
            tokens.append(counter.observe(\.text) { _, _ in })
            tokens[tokens.count - 1].label = "text"
        }
        let dropping = counters[0].changes(of: \.value).buffer(policy: .bufferingNewest(1)).makeAsyncIterator()
        counters[0].value = 1
        counters[0].value = 2
        tokens.removeLast().invalidate()
        // What nobody asks or changes is met nowhere.
        try await Self.withInspector { client in
            let before = try #require(KeyValueTrace.earlier)
            // Other tests registered as well.
            #expect(before >= 7)
            let connection = try await client.open()
            defer { connection.close() }
            counters[0].value = 3
            counters[1].value = 1
            _ = KeyValueTrace.graph(of: counters[2])
            func observers(_ snapshot: [String: Any]) -> [[String: Any]] {
                (snapshot["objects"] as? [[String: Any]] ?? []).flatMap { $0["observers"] as? [[String: Any]] ?? [] }
            }
            let snapshot = try await connection.next("snapshot") { observers($0).count == 6 }
            #expect(snapshot["earlier"] as? UInt64 == before)
            #expect(snapshot["earlierFound"] as? Int == 6)
            func counts(_ list: [[String: Any]], _ keyPath: String, _ count: String) -> Int {
                list.filter { $0["keyPath"] as? String == keyPath }.reduce(0) { $0 + ($1[count] as? Int ?? 0) }
            }
            let infos = counters.flatMap(\.observationInfo)
            let handlers = try #require(snapshot["handlers"] as? [[String: Any]])
            for keyPath in ["value", "text"] {
                let own = infos.filter { $0.keyPath == keyPath }
                for list in [observers(snapshot), handlers] {
                    #expect(counts(list, keyPath, "calls") == own.reduce(0) { $0 + $1.deliveredCount })
                    #expect(counts(list, keyPath, "dropped") == own.reduce(0) { $0 + $1.droppedCount })
                }
                #expect(counts(handlers, keyPath, "active") == own.count)
            }
            #expect(infos.reduce(0) { $0 + $1.droppedCount } == 2)
            let silent = observers(snapshot).filter { $0["calls"] as? Int == 0 }
            #expect(silent.contains { $0["observer"] as? String == "“text”" })
            // One that ends is not listed any more.
            tokens[0].invalidate()
            _ = try await connection.next("snapshot") { observers($0).count == 5 }
        }
        withExtendedLifetime((tokens, dropping)) {}
    }

    @Test("After a burst the values are those that the program has")
    func burst() async throws {
        try await Self.withInspector { client in
            let counters = (0..<20).map { _ in Counter() }
            let observations = counters.map { $0.observe(\.value) { _, _ in } }
            defer { withExtendedLifetime(observations) {} }
            let connection = try await client.open()
            defer { connection.close() }
            // What is not recorded in the meantime is saved.
            for _ in 0..<3 { _ = try await connection.next("snapshot") }
            let unrecorded = KeyValueTrace.unrecordedCount
            for value in 1...10 { for counter in counters { counter.value = value } }
            #expect(KeyValueTrace.unrecordedCount == unrecorded)
            _ = try await connection.next("snapshot") { snapshot in
                let objects = snapshot["objects"] as? [[String: Any]] ?? []
                let values = objects.flatMap { $0["values"] as? [[String: Any]] ?? [] }
                return values.count == 20 && values.allSatisfy { $0["text"] as? String == "10" && $0["age"] == nil }
            }
        }
    }

    @Test("Objects are not kept alive")
    func lifetime() async throws {
        try await Self.withInspector { client in
            let connection = try await client.open()
            defer { connection.close() }
            var counter: Counter? = Counter()
            weak let reference = counter
            let observation = counter?.observe(\.value) { _, _ in }
            counter?.value = 1
            _ = try await connection.next("snapshot") { ($0["objects"] as? [Any])?.count == 1 }
            counter = nil
            withExtendedLifetime(observation) {}
            _ = try await connection.next("snapshot") { ($0["objects"] as? [Any])?.isEmpty == true }
            #expect(reference == nil)
        }
    }

    @Test("The port is free again after the end")
    func freedPort() async throws {
        let first = KeyValueInspector.start(port: 0, printsAddress: false)
        let port = try await Client(first).port
        await first.stop()
        #expect(!KeyValueTrace.isOn)
        #expect(await first.url == nil)
        let second = KeyValueInspector.start(port: port, printsAddress: false)
        #expect(try await Client(second).port == port)
        await second.stop()
    }

    @Test("A port in use is no harm: the program is told which, and what to do, and pays for no trace")
    func occupiedPort() async throws {
        let socket = try Socket(domain: AF_INET)
        defer { try? socket.close() }
        try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
        try socket.listen()
        guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [port = port as UInt16] in
            let inspector = KeyValueInspector.start(port: port)
            #expect(await inspector.url == nil)
            #expect(!KeyValueTrace.isOn)
            await inspector.stop()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("KeyValueInspector cannot listen on port \(port)"))
        #expect(text.contains("Address already in use"))
        #expect(text.contains("start it with another port; 0 takes any that is free."))
        #expect(!text.contains("http://"))
    }

    @Test("A trace that the program started goes on as it was, with the inspector and after it")
    func ownTrace() async throws {
        let counter = Counter()
        let observation = counter.observe(\.value, options: .new) { _, _ in }
        defer { withExtendedLifetime(observation) {} }
        KeyValueTrace.start(capacity: 4, valueLength: 2)
        defer { KeyValueTrace.stop() }
        counter.value = 1
        try await Self.withInspector { client in
            let connection = try await client.open()
            defer { connection.close() }
            _ = try await connection.next("snapshot")
            // The inspector's own limit is below this.
            for value in 2...100 { counter.value = value }
        }
        #expect(KeyValueTrace.isOn)
        counter.value = 300
        #expect(KeyValueTrace.events.map(\.kind) == [.change, .delivery, .change, .delivery])
        #expect(KeyValueTrace.events[2].newValue == "30…")
    }

    @Test("A trace that the program starts while the inspector runs goes on after it")
    func ownTraceMeanwhile() async throws {
        try await Self.withInspector { _ in KeyValueTrace.start() }
        #expect(KeyValueTrace.isOn)
        KeyValueTrace.stop()
        #expect(!KeyValueTrace.isOn)
    }
}
