// Every overlapping access that Swift would trap does trap, and no other: 3.5.
import KeyValueObserving
import Testing

@Suite("3.5 Overlapping accesses")
struct InPlaceExclusionTests {
    @Test(
        "3.5 An overlapping access through a view of a number traps", arguments: ViewOfNumber.allCases,
        [false, true])
    func viewOfNumber(access: ViewOfNumber, isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [access, isObserved] in
            let dial = Dial()
            let token = isObserved ? dial.observe(\.number) { _, _ in } : nil
            dial.number.change { _ in
                switch access {
                case .read: _ = dial.viewOfNumber.value
                case .set: dial.viewOfNumber.value = 5
                case .inPlace: dial.viewOfNumber.value += 1
                }
            }
            withExtendedLifetime(token) {}
        }
        #expect(words("imultaneous accesses", missingIn: message(of: result)) == [])
    }

    enum ViewOfNumber: CaseIterable, Codable, Sendable { case read, set, inPlace }

    @Test("3.5 A change through a view is an access: what it overlaps traps")
    func withinAView() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dial = Dial()
            let view = dial.viewOfNumber
            view.value.change { _ in dial.number = 1 }
        }
        #expect(words("imultaneous accesses", missingIn: message(of: result)) == [])
    }

    @Test("3.5 Two properties without a size may be accessed at once", arguments: [false, true])
    func withoutSize(isObserved: Bool) async {
        await #expect(processExitsWith: .success) { [isObserved] in
            let dial = Dial()
            let tokens =
                isObserved
                ? [
                    dial.observe(\.nothing) { _, _ in }, dial.observe(\.empty) { _, _ in },
                    dial.observe(\.alsoEmpty) { _, _ in },
                ] : []
            for _ in 0..<2 {
                access(&dial.nothing) {
                    access(&dial.empty) {
                        access(&dial.alsoEmpty) { dial.number += 1 }
                        dial.alsoEmpty = Empty()
                        _ = dial.alsoEmpty
                    }
                    dial.empty = Empty()
                }
            }
            #expect(dial.number == 2)
            withExtendedLifetime(tokens) {}
        }
    }
}

private struct Empty: Equatable {}

private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var nothing: Void = ()
    @Observed var empty = Empty()
    @Observed var alsoEmpty = Empty()

    var viewOfNumber: ObservedMutableProperty<Int> { mutable(\.number) }
}

@inline(never) private func access<Value>(_ value: inout Value, _ body: () -> Void) { body() }

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
