// Who is answered, and what is sent.
import Foundation
import KeyValueInspector
import KeyValueObserving
import KeyValueObservingTrace
import Testing

private final class Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
    @Observed var copy = 0
    var double: Int { value * 2 }
}

/// One after the other, because tracing concerns the whole process.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InspectorTests {
    private func withInspector(_ body: (Client) async throws -> Void) async throws {
        let inspector = KeyValueInspector.start(port: 0, printsAddress: false)
        do { try await body(Client(inspector)) } catch {
            await inspector.stop()
            throw error
        }
        await inspector.stop()
    }

    @Test("The page is answered to who has the token, and says that nothing else may be loaded")
    func page() async throws {
        try await withInspector { client in
            let answer = try await client.ask(token: client.token)
            #expect(answer.status == "200")
            #expect(answer.headers.contains { $0.contains("default-src 'none'") })
            let own = "http://127.0.0.1:\(client.port)"
            #expect(try await client.ask(token: client.token, origin: own).status == "200")
        }
    }

    @Test("Nobody else is answered")
    func refusals() async throws {
        try await withInspector { client in
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
            #expect(try await client.ask("POST", token: token).status == "405")
            #expect(try await client.ask("GET", "/other", token: token).status == "404")
        }
    }

    @Test("Objects, changes and what they cause are sent; an explanation is the trace's; nothing else is answered")
    func messages() async throws {
        try await withInspector { client in
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
            #expect(explanation["text"] as? String == KeyValueTrace.explain(event))

            for request in ["{\"set\":1}", "x", "{\"explain\":-1}", "{\"explain\":18446744073709551615}"] {
                try await connection.send(request)
                #expect(try await connection.next("error")["message"] != nil)
            }
        }
    }

    @Test("Of a flood some events are recorded, and the page is sent how many were not; then recording goes on")
    func flood() async throws {
        try await withInspector { client in
            let counter = Counter()
            let observation = counter.observe(\.value) { _, _ in }
            defer { withExtendedLifetime(observation) {} }
            for value in 1...5_000 { counter.value = value }
            let connection = try await client.open()
            defer { connection.close() }
            let message = try await connection.next("events")
            let events = try #require(message["events"] as? [[String: Any]])
            let leftOut = try #require(message["leftOut"] as? Int)
            #expect(events.count <= 200)
            #expect(leftOut > 0 && events.count { $0["kind"] as? String == "change" } + leftOut >= 5_000)

            KeyValueTrace.renewLimit()
            counter.value = -1
            _ = try await connection.next("events") { message in
                (message["events"] as? [[String: Any]])?.contains { $0["newValue"] as? String == "-1" } ?? false
            }
        }
    }

    @Test("A page that does not read is not waited for")
    func slowPage() async throws {
        try await withInspector { client in
            let counter = Counter()
            let observation = counter.observe(\.value) { _, _ in }
            defer { withExtendedLifetime(observation) {} }
            let silent = try await client.open()
            defer { silent.close() }
            for value in 1...5_000 { counter.value = value }
            let reading = try await client.open()
            defer { reading.close() }
            let message = try await reading.next("events")
            #expect((message["events"] as? [[String: Any]])?.isEmpty == false)
        }
    }

    @Test("Objects are not kept alive")
    func lifetime() async throws {
        try await withInspector { client in
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

    @Test("A port in use is no harm, and is free after the end")
    func ports() async throws {
        let first = KeyValueInspector.start(port: 0, printsAddress: false)
        let port = try await Client(first).port
        await first.stop()
        #expect(!KeyValueTrace.isOn)
        let second = KeyValueInspector.start(port: port, printsAddress: false)
        #expect(try await Client(second).port == port)
        await second.stop()
    }
}
