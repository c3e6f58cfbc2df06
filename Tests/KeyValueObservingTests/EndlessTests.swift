// Getters that wait for themselves and changes without an end stop with a sentence: 5.4 and 3.4.
import KeyValueObserving
import Testing

@Suite("5.4 What has no end")
struct EndlessTests {
    @Test(
        "5.4 A dependency cycle traps at registration and names what is read on its way",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(1)), arguments: [false, true])
    func atRegistration(isPath: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isPath] in
            let (hen, yard) = (Hen(isCyclic: true), Yard())
            yard.hen = hen
            let token = isPath ? yard.observe(\.hen?.chicken) { _, _ in } : hen.observe(\.chicken) { _, _ in }
            withExtendedLifetime(token) {}
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 A dependency cycle that a set brings about traps and names what is read on its way",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(1)))
    func atASet() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let hen = Hen(isCyclic: false)
            let token = hen.observe(\.chicken, options: [.old, .new]) { _, _ in }
            hen.isCyclic = true
            withExtendedLifetime(token) {}
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 A dependency cycle on a thread with a small stack",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(1)))
    func onAnotherThread() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onThreads(1) { _ in _ = Hen(isCyclic: true).observe(\.chicken) { _, _ in } }
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "3.4 Handlers that change each other's property for ever trap and name the properties",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(1)))
    func changes() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let rally = Rally()
            let tokens = [
                rally.observe(\.ping) { rally, _ in rally.pong += 1 },
                rally.observe(\.pong) { rally, _ in rally.ping += 1 },
            ]
            rally.ping = 1
            withExtendedLifetime(tokens) {}
        }
        #expect(words("Rally", "ping", "pong", missingIn: message(of: result)) == [])
    }

    @Test(
        "3.4 The same where one of the changes is made by hand",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(1)))
    func changesByHand() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let rally = Rally()
            let tokens = [
                rally.observe(\.pong) { rally, _ in
                    rally.willChangeValue(for: \.ping)
                    rally.didChangeValue(for: \.ping)
                },
                rally.observe(\.ping) { rally, _ in rally.pong += 1 },
            ]
            rally.pong = 1
            withExtendedLifetime(tokens) {}
        }
        #expect(words("Rally", "ping", "pong", missingIn: message(of: result)) == [])
    }
}

private final class Hen: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isCyclic: Bool
    @Observed var yolk = 0
    @Observed var shell = 0
    var chicken: Int { yolk + (isCyclic ? egg : 0) }
    var egg: Int { shell + chicken }

    init(isCyclic: Bool) {
        self.isCyclic = isCyclic
    }
}

private final class Yard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var hen: Hen?
}

private final class Rally: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var ping = 0
    @Observed var pong = 0
}
