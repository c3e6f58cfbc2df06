// Registering and removing, beside the cells: section 1 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1 Registration and removal")
struct RegistrationTests {
    private let person = Person()
    private let watcher = Watcher()
    private let kept = Kept()
    private var log: Log { watcher.log }

    // #22 #23 #329
    @Test("1.2 B13 invalidate() may be repeated, called after the object's death, and while it releases the handler")
    func invalidateIsIdempotent() {
        var dying: Person? = Person()
        let ended = [dying?.observe(\.age) { _, _ in }, dying?.observe(\.age) { _, _ in }]
        for _ in 0..<2 { ended[0]?.invalidate() }
        #expect(ended.map { $0?.isInvalidated } == [true, false])
        dying = nil
        #expect(ended[1]?.isInvalidated == true)
        ended[1]?.invalidate()
        // It leaves a newer registration alone.
        var tokens: [KeyValueObservation] = []
        var last: AtDeath? = AtDeath { [person, log] in
            tokens.append(person.observe(\.age) { _, _ in log.add("newer") })
            tokens[0].invalidate()
        }
        tokens.append(person.observe(\.age) { [last] _, _ in withExtendedLifetime(last) {} })
        last = nil
        tokens[0].invalidate()
        person.age = 1
        #expect(log.take() == ["newer"])
    }

    @Test("1.3 2.4 A set by a getter during a registration is not delivered, although another observer undoes it")
    func setByGetter() {
        let sheet = Worksheet()
        sheet.a = 9
        var isUndone = false
        sheet.observe(\.a) { sheet, _ in
            guard !isUndone else { return }
            isUndone = true
            sheet.a = 9
        }.store(in: kept)
        watcher.watch(sheet, \.limited, [.initial, .prior, .old, .new])
        #expect(isUndone && sheet.a == 5 && log.take() == ["·→5"])
    }

    // #127
    @Test("1.4 A class may declare that such a key path notifies by hand, or depends on others")
    func declaredInstead() {
        let object = Declares()
        watcher.watch(object, \.byHand, [.initial, .new])
        watcher.watch(object, \.dependent)
        #expect(log.take() == ["·→7"])
        object.hidden = 2
        #expect(log.take() == [], "what is not observed is not seen")
        object.source = 5
        #expect(log.take() == ["1→2"])
    }

    // MARK: Registrars

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
            tokens.store(in: .process)
        }
        let names: [Mistake: String] = [.computed: "Forgetful", .shared: "Sharing", .sharedOnOneLine: "Sharing"]
        let name = names[mistake] ?? "Replacing"
        #expect(words(name, "keyValueRegistrar", missingIn: message(of: result)) == [])
    }

    @Test("1.4 A registrar may be replaced before anything is registered")
    func registrarReplacedInTime() {
        let object = Replacing()
        object.keyValueRegistrar = KeyValueRegistrar()
        watcher.watch(object, \.number, .new)
        object.number = 1
        #expect(log.take() == ["·→1"])
    }
}

/// Runs code when it dies.
private final class AtDeath {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}

private final class Declares: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = 0
    var hidden = 1
    var byHand: Int { 7 }
    /// Reads nothing that could be seen.
    var dependent: Int { hidden }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Declares.byHand }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Declares.dependent ? [\Declares.source] : []
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
