// What a trace shows outside of the program: a graph, and events as JSON.
import Foundation
import KeyValueObserving
import KeyValueObservingTrace
import Testing

extension TraceTests {
    @Suite("D19 Pictures and lines")
    struct PictureTests {
        @Test("D19 The graph of an object says what depends on what, as text and for Graphviz")
        func graph() {
            let cart = Cart()
            #expect(KeyValueTrace.graph(of: cart).description.isEmpty)
            let token = cart.observe(\.total) { _, _ in }
            let graph = KeyValueTrace.graph(of: cart)
            #expect("\(graph)" == "total of Cart depends on count of Cart, price of Cart")
            #expect(
                graph.dot == """
                    digraph {
                        rankdir=LR
                        "count of Cart" -> "total of Cart"
                        "price of Cart" -> "total of Cart"
                    }
                    """)
            withExtendedLifetime(token) {}
        }

        @Test("19.1 An event is a line of JSON, without what is not known")
        func json() throws {
            let cart = Cart()
            let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
            let (_, events) = KeyValueTrace.withTrace(valueLength: 10) { cart.count = 5 }
            let change = try #require(events.of(cart).first { $0.kind == .change })
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(change)) as? [String: Any]
            let line = try #require(object)
            #expect(line["kind"] as? String == "change" && line["keyPath"] as? String == "count")
            #expect(line["oldValue"] as? String == "0" && line["newValue"] as? String == "5")
            #expect(line["type"] as? String == "Cart" && line["time"] is Double && line["duration"] is Double)
            #expect(line["cause"] == nil && line["isPrior"] == nil && line["place"] == nil)
            withExtendedLifetime(token) {}
        }
    }
}
