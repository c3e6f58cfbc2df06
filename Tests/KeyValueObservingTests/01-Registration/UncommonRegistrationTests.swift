// Registrations at very long key paths, and with a registrar that is not the object's own: 1.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Registrations at the edge")
struct UncommonRegistrationTests {
    @Test(
        "1.4 A key path by string of 10,000 parts is observed, or refused with an error",
        .disabled(
            if: ProcessInfo.processInfo.environment["UNDER_SANITIZER"] != nil,
            "the frames of instrumented code use up the stack"), .timeLimit(.minutes(10)))
    func longString() async {
        await #expect(processExitsWith: .success) {
            let first = Node()
            first.friend = Node()
            let keyPath = Array(repeating: "friend", count: 10_000).joined(separator: ".")
            do {
                let log = Log()
                let token = try first.observe(keyPath, options: [.old, .new]) { log.add($1) }
                first.friend?.friend = Node()
                #expect(log.take() == ["nil→nil"])
                token.invalidate()
            } catch {
                #expect(error is KeyValueCodingError)
            }
        }
    }

    @Test("1.4 So it is where a thousand objects are on the way", .timeLimit(.minutes(10)))
    func longWay() async {
        await #expect(processExitsWith: .success) {
            let nodes = (0...1_000).map { _ in Node() }
            for (node, friend) in zip(nodes, nodes.dropFirst()) { node.friend = friend }
            let keyPath = Array(repeating: "friend", count: 1_000).joined(separator: ".") + ".number"
            do {
                let log = Log()
                let token = try nodes[0].observe(keyPath, options: [.old, .new]) { log.add($1) }
                nodes[1_000].number = 5
                #expect(log.take() == ["0→5"])
                token.invalidate()
            } catch {
                #expect(error is KeyValueCodingError)
            }
            for node in nodes { node.friend = nil }
        }
    }

    @Test("1.4 Reading and writing by such a string work or throw", .timeLimit(.minutes(10)))
    func longStringRead() async {
        await #expect(processExitsWith: .success) {
            let first = Node()
            let keyPath = Array(repeating: "friend", count: 10_000).joined(separator: ".")
            do {
                _ = try first.value(forKeyPath: keyPath)
                try first.setValue(nil, forKeyPath: keyPath)
            } catch {
                #expect(error is KeyValueCodingError)
            }
        }
    }

    @Test("1.4 A class whose registrar is another one each time traps when it is observed, and is named")
    func computedRegistrar() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let object = Forgetful()
            let token = object.observe(\.number) { _, _ in }
            object.number = 1
            withExtendedLifetime(token) {}
        }
        #expect(words("Forgetful", "keyValueRegistrar", missingIn: message(of: result)) == [])
    }

    @Test("1.4 Replacing the registrar of an object that is observed traps and names the class")
    func replacedRegistrar() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let object = Replacing()
            let token = object.observe(\.number) { _, _ in }
            object.keyValueRegistrar = KeyValueRegistrar()
            withExtendedLifetime(token) {}
        }
        #expect(words("Replacing", "keyValueRegistrar", "let", missingIn: message(of: result)) == [])
    }

    @Test("1.4 So does replacing that of an object that a path leads through")
    func replacedRegistrarOnAPath() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let object = Replacing()
            object.next = Replacing()
            let token = object.observe(\.next?.number) { _, _ in }
            object.next?.keyValueRegistrar = KeyValueRegistrar()
            withExtendedLifetime(token) {}
        }
        #expect(words("Replacing", "keyValueRegistrar", missingIn: message(of: result)) == [])
    }

    @Test("1.4 16.2 So does replacing that of an object whose expression reads another one")
    func replacedRegistrarOfExpression() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (object, other) = (Replacing(), Replacing())
            let token = object.observe(reading: { _ in other.number }) { _, _ in }
            object.keyValueRegistrar = KeyValueRegistrar()
            withExtendedLifetime(token) {}
        }
        #expect(words("Replacing", "keyValueRegistrar", missingIn: message(of: result)) == [])
    }

    @Test("1.4 A registrar may be replaced before anything is registered")
    func registrarReplacedInTime() {
        let object = Replacing()
        object.keyValueRegistrar = KeyValueRegistrar()
        let log = Log()
        let token = object.observe(\.number, options: .new) { log.add($1) }
        object.number = 1
        #expect(log.take() == ["·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.4 Observing two objects that share a registrar traps and names the class", arguments: [false, true])
    func sharedRegistrar(isOnOneLine: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isOnOneLine] in
            let registrar = SharedRegistrar()
            let objects = [Sharing(registrar), Sharing(registrar)]
            let tokens =
                isOnOneLine
                ? objects.map { $0.observe(\.number) { _, _ in } }
                : [objects[0].observe(\.number) { _, _ in }, objects[1].observe(\.other) { _, _ in }]
            withExtendedLifetime(tokens) {}
        }
        #expect(words("Sharing", "keyValueRegistrar", missingIn: message(of: result)) == [])
    }
}

private final class Replacing: KeyValueObservable {
    var keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var next: Replacing?
}

private final class SharedRegistrar {
    let registrar = KeyValueRegistrar()
}

private final class Sharing: KeyValueObservable {
    private let shared: SharedRegistrar
    @Observed var number = 0
    @Observed var other = 0
    var keyValueRegistrar: KeyValueRegistrar { _read { yield shared.registrar } }

    init(_ shared: SharedRegistrar) { self.shared = shared }
}

private final class Node: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var friend: Node?
    @Observed var number = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["friend": \Node.friend, "number": \Node.number] }
}

private final class Forgetful: KeyValueObservable {
    var keyValueRegistrar: KeyValueRegistrar { KeyValueRegistrar() }
    @Observed var number = 0
}
