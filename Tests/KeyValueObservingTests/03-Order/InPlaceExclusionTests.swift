// Every overlapping access that Swift would trap does trap, and no other: 3.5.
import KeyValueObserving
import Testing

@Suite("3.5 Overlapping accesses")
struct InPlaceExclusionTests {
    enum Access: CaseIterable, Codable, Sendable { case read, set, inPlace, viewRead, viewSet, viewInPlace }

    @Test(
        "2.6 3.5 What overlaps an access to a number traps, observed or not, also the first time",
        arguments: Access.allCases, [false, true])
    func number(access: Access, isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [access, isObserved] in
            let dial = Dial()
            let token = isObserved ? dial.observe(\.number) { _, _ in } : nil
            // To make a view takes the address, which traps by itself.
            let view = dial.mutable(\.number)
            dial.number.change { number in
                switch access {
                case .read: number = dial.number
                case .set: dial.number = 5
                case .inPlace: dial.number += 1
                case .viewRead: number = view.value
                case .viewSet: view.value = 5
                case .viewInPlace: view.value += 1
                }
            }
            withExtendedLifetime(token) {}
        }
        #expect(isOverlap(result, of: "number", "Dial"))
    }

    /// An access that begins in another one: to a number whose observer has ended inside, within an access to another
    /// property, to an array, and through a view.
    enum Way: CaseIterable, Codable, Sendable { case ended, within, array, arrayInPlace, arrayByView, throughView }

    @Test(
        "2.6 3.5 So does what overlaps an access to an array, or begins within another one, or through a view",
        arguments: Way.allCases, [false, true])
    func others(way: Way, isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [way, isObserved] in
            let dial = Dial()
            dial.number += 1
            let items = dial.mutable(\.items)
            let tokens = isObserved ? [dial.observe(\.number) { _, _ in }, dial.observe(\.items) { _, _ in }] : []
            switch way {
            case .ended:
                dial.number.change { _ in
                    for token in tokens { token.invalidate() }
                    dial.number += 1
                }
            case .within: access(&dial.second) { dial.number.change { _ in dial.number += 1 } }
            case .array: access(&dial.items) { dial.items = [1] }
            case .arrayInPlace: access(&dial.items) { dial.items.append(1) }
            case .arrayByView: access(&dial.items) { items.append(1) }
            case .throughView: dial.mutable(\.number).value.change { _ in dial.number = 1 }
            }
            withExtendedLifetime(tokens) {}
        }
        #expect(
            isOverlap(result, of: [.array, .arrayInPlace, .arrayByView].contains(way) ? "items" : "number", "Dial"))
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
    @Observed var second = 0.0
    @Observed var items: [Int] = []
    @Observed var nothing: Void = ()
    @Observed var empty = Empty()
    @Observed var alsoEmpty = Empty()
}

@inline(never) private func access<Value>(_ value: inout Value, _ body: () -> Void) { body() }

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
