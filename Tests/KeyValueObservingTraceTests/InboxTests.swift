// Changes delivered on other executors: 19.1, 19.3.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

private actor Screen {
    /// Lets a test wait until a handler was called so often.
    private(set) var calls = 0
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func note() {
        calls += 1
        guard let waiter, calls >= waiter.count else { return }
        self.waiter = nil
        waiter.continuation.resume()
    }

    func wait(for count: Int) async {
        if calls >= count { return }
        await withCheckedContinuation { waiter = (count, $0) }
    }
}

extension TraceTests {
    @Suite("19.1 Inboxes")
    struct InboxTests {
        private let kept = Kept()
        private let cart = SharedCart()

        private func events(_ body: () async -> Void) async -> [KeyValueTrace.Event] {
            KeyValueTrace.start(capacity: 1_000_000, valueLength: 40)
            defer { KeyValueTrace.stop() }
            await body()
            return KeyValueTrace.events
        }

        @Test(
            "19.1 19.3 What an actor's handler changes comes from the change that waited for it",
            .enabled(if: hasReflectionMetadata))
        func onActor() async {
            let screen = Screen()
            let next = SharedCart()
            [
                cart.changes(of: \.count, options: [.old, .new]).deliver(to: screen) { screen, change in
                    next.count = change.newValue ?? 0
                    screen.note()
                },
                next.observe(\.count, options: [.old, .new]) { _, _ in },
            ].store(in: kept)
            let all = await events {
                cart.count = 4
                await screen.wait(for: 1)
            }
            #expect(
                all.of(cart, next).lines == [
                    "change count 0→4", "change count › delivery count", "delivery count › inbox count",
                    "inbox count › taken count", "taken count › change count 0→4", "change count › delivery count",
                ])
            let taken = all.of(cart).of(.taken)
            #expect(taken.first?.fileID == "KeyValueObservingTraceTests/InboxTests.swift")
            #expect(taken.first?.observer == "handler in actor Screen")
            let inbox = all.of(cart).first { $0.kind == .inbox }
            let waiting = inbox.map { KeyValueTrace.explain($0, in: all) }?.split(separator: "\n") ?? []
            #expect(waiting.first?.hasPrefix("A change was put into the inbox of the handler registered at ") == true)
            #expect(waiting.count == 3)
            let last = all.of(next).last
            let sentences = last.map { KeyValueTrace.explain($0, in: all) }?.split(separator: "\n") ?? []
            #expect(sentences.count == 4)
            #expect(
                sentences[2].contains("was called on thread")
                    && sentences[2].hasSuffix(
                        "with a change that waited, because count of SharedCart changed from 0 to 4.")
            )
            #expect(sentences[3].hasSuffix("outside of any handler."))
        }

        @Test("19.1 A change that a sequence returns was removed from its inbox", .enabled(if: hasReflectionMetadata))
        func sequence() async {
            let all = await events {
                var iterator = cart.changes(of: \.count, options: .new).makeAsyncIterator()
                cart.count = 5
                _ = await iterator.next(isolation: nil)
            }
            #expect(all.of(cart).lines.contains("inbox count › taken count"))
            #expect(all.of(cart).of(.taken).allSatisfy { $0.duration != nil })
        }

        @Test("19.1 A shared property's change comes from where it was stored, whichever thread delivers it")
        func shared() {
            let other = SharedCart()
            cart.observe(\.sum, options: [.old, .new]) { cart, change in
                // Another thread stores while this one delivers; this one delivers that, too.
                if change.newValue == 1 {
                    let cart = Unchecked(value: cart)
                    onThreads(1) { _ in
                        other.count = 1
                        cart.value.sum = 3
                    }
                }
            }.store(in: kept)
            other.observe(\.count) { [cart] _, _ in cart.sum = 2 }.store(in: kept)
            let all = traced { cart.sum = 1 }
            let changes = all.of(cart).of(.change)
            let call = all.of(other).of(.delivery).first
            #expect(changes.count == 3 && changes[1].cause == call?.number && changes[2].cause == nil)
        }

        // The limit is the process's, so this has one of its own.
        @Test("19.1 With a limit, what waits for an actor and comes from no event is not recorded")
        func limit() async {
            await #expect(processExitsWith: .success) {
                let (cart, screen) = (SharedCart(), Screen())
                let part = KeyValueTrace.beginPart(eventLimit: 1)
                cart.changes(of: \.sum).deliver(to: screen) { screen, _ in screen.note() }.store(in: .process)
                for sum in 1...3 { cart.sum = sum }
                await screen.wait(for: 3)
                let kinds = KeyValueTrace.events.map(\.kind)
                #expect(kinds.filter { $0 == .inbox }.count == 1 && kinds.filter { $0 == .taken }.count == 1)
                part.end()
            }
        }
    }
}
