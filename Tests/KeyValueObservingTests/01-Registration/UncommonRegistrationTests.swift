// Registrations at very long key paths, and with a registrar that is not the object's own: 1.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Registrations at the edge")
struct UncommonRegistrationTests {
    @Test(
        "1.4 Key paths by string of thousands of parts are observed, read and written, or refused with an error",
        .disabled(
            if: ProcessInfo.processInfo.environment["UNDER_SANITIZER"] != nil,
            "the frames of instrumented code use up the stack"), .timeLimit(.minutes(10)), arguments: 0..<3)
    func longString(use: Int) async {
        await #expect(processExitsWith: .success) { [use] in
            let nodes = (0...1_000).map { _ in Node() }
            for (node, friend) in zip(nodes, nodes.dropFirst()) { node.friend = friend }
            func keyPath(_ count: Int) -> String { Array(repeating: "friend", count: count).joined(separator: ".") }
            do {
                let (log, first) = (Log(), Node())
                switch use {
                case 0:
                    let token = try nodes[0].observe(keyPath(1_000) + ".number", options: [.old, .new]) { log.add($1) }
                    nodes[1_000].number = 5
                    #expect(log.take() == ["0→5"])
                    token.invalidate()
                case 1:
                    first.friend = Node()
                    let token = try first.observe(keyPath(10_000), options: [.old, .new]) { log.add($1) }
                    first.friend?.friend = Node()
                    #expect(log.take() == ["nil→nil"])
                    token.invalidate()
                default:
                    _ = try first.value(forKeyPath: keyPath(10_000))
                    try first.setValue(nil, forKeyPath: keyPath(10_000))
                }
            } catch {
                #expect(error is KeyValueCodingError)
            }
            for node in nodes { node.friend = nil }
        }
    }

    /// A registrar that is another one, or that of another object.
    enum Mistake: CaseIterable, Codable { case computed, replaced, onAPath, ofExpression, shared, sharedOnOneLine }

    @Test(
        "1.4 16.2 A registrar that is not the object's own, for good, traps and names the class",
        arguments: Mistake.allCases)
    func registrar(mistake: Mistake) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
            let (object, other, shared) = (Replacing(), Replacing(), SharedRegistrar())
            object.next = other
            let sharing = [Sharing(shared), Sharing(shared)]
            var tokens: [KeyValueObservation] = []
            switch mistake {
            case .computed: tokens = [Forgetful().observe(\.number) { _, _ in }]
            case .replaced:
                tokens = [object.observe(\.number) { _, _ in }]
                object.keyValueRegistrar = KeyValueRegistrar()
            case .onAPath:
                tokens = [object.observe(\.next?.number) { _, _ in }]
                other.keyValueRegistrar = KeyValueRegistrar()
            case .ofExpression:
                tokens = [object.observe(reading: { _ in other.number }) { _, _ in }]
                object.keyValueRegistrar = KeyValueRegistrar()
            case .shared:
                tokens = [sharing[0].observe(\.number) { _, _ in }, sharing[1].observe(\.other) { _, _ in }]
            case .sharedOnOneLine: tokens = sharing.map { $0.observe(\.number) { _, _ in } }
            }
            withExtendedLifetime(tokens) {}
        }
        let name =
            switch mistake {
            case .computed: "Forgetful"
            case .replaced, .onAPath, .ofExpression: "Replacing"
            case .shared, .sharedOnOneLine: "Sharing"
            }
        #expect(words(name, "keyValueRegistrar", missingIn: message(of: result)) == [])
    }

    @Test("1.4 A registrar may be replaced before anything is registered")
    func registrarReplacedInTime() {
        let (object, log) = (Replacing(), Log())
        object.keyValueRegistrar = KeyValueRegistrar()
        let token = object.observe(\.number, options: .new) { log.add($1) }
        object.number = 1
        #expect(log.take() == ["·→1"])
        withExtendedLifetime(token) {}
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
