// Undo of what is changed while somebody traces.
import KeyValueObserving
import KeyValueObservingHistory
@_spi(Inspector) import KeyValueObservingTrace
import Testing

extension TraceTests {
    @Test("18.1 19.2 Changes that follow one another are joined to one step while somebody traces")
    func typing() throws {
        let (cart, manager) = (Cart(), KeyValueUndoManager())
        manager.track(cart, \.count, coalescing: .seconds(3_600))
        _ = KeyValueTrace.withTrace {
            cart.count = 1
            cart.count = 2
        }
        try manager.undo()
        #expect(cart.count == 0 && !manager.canUndo)
    }

    @Test("10.2 18.1 19.2 A transaction is one step while somebody traces")
    func transaction() throws {
        let (cart, manager) = (Cart(), KeyValueUndoManager())
        manager.track(cart, \.count, \.price)
        let token = cart.observe(\.count) { cart, _ in cart.tags.append("a") }
        _ = try KeyValueTrace.withTrace {
            withKeyValueTransaction {
                cart.count = 1
                cart.price = 2
            }
            try manager.undo()
        }
        #expect(cart.count == 0 && cart.price == 0 && !manager.canUndo)
        withExtendedLifetime(token) {}
    }
}
