// Registrations at very long key paths, and with a registrar that is not the object's own: 1.4.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Registrations at the edge")
struct UncommonRegistrationTests {
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

private final class Forgetful: KeyValueObservable {
    var keyValueRegistrar: KeyValueRegistrar { KeyValueRegistrar() }
    @Observed var number = 0
}
