// What depends on a property that is being accessed in place is evaluated when the access has ended: 3.5.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 A property that is being accessed in place is not read")
struct ReadingInPlaceTests {
    @Test("3.5 A property that does not notify automatically: what is computed from it is called at the access's end")
    func notAutomatic() async {
        await #expect(processExitsWith: .success) {
            let (gauge, chain) = (Gauge(), Chain<Int>())
            let token = gauge.observe(\.sum, options: [.old, .new]) { chain.add($1) }
            gauge.quiet.change {
                gauge.other = 5
                $0 = 3
            }
            #expect(chain.breaks(from: 0, to: 8) == "")
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 An access in a prior call of its own property's change")
    func inAPriorCall() async {
        await #expect(processExitsWith: .success) {
            let gauge = Gauge()
            let (level, sum) = (Chain<Int>(), Chain<Int>())
            let tokens = [
                gauge.observe(\.level, options: [.old, .new, .prior]) { gauge, change in
                    level.add(change)
                    guard change.isPrior, gauge.other == 0 else { return }
                    gauge.level.change {
                        gauge.other = 5
                        $0 = 3
                    }
                },
                gauge.observe(\.sum, options: [.old, .new]) { sum.add($1) },
            ]
            gauge.level = 1
            #expect(level.breaks(from: 0, to: 1) == "")
            #expect(sum.breaks(from: 0, to: 6) == "")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 While the end of a path is accessed in place, the object on the way is replaced")
    func replacedMeanwhile() async {
        await #expect(processExitsWith: .success) {
            let (panel, gauge, other, chain) = (Panel(), Gauge(), Gauge(), Chain<Int?>())
            other.level = 7
            panel.gauge = gauge
            let token = panel.observe(\.gauge?.level, options: [.old, .new]) { chain.add($1) }
            gauge.level.change {
                $0 = 3
                panel.gauge = other
            }
            #expect(chain.breaks(from: 0, to: 7) == "")
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 Registering and asking about the property while it is accessed in place")
    func asking() async {
        await #expect(processExitsWith: .success) {
            let (gauge, chain) = (Gauge(), Chain<Int>())
            let token = gauge.observe(\.level, options: [.old, .new]) { chain.add($1) }
            gauge.level.change {
                #expect(gauge.isObserved(\.level))
                #expect(gauge.observationInfo.count == 1)
                $0 = 3
            }
            #expect(chain.breaks(from: 0, to: 3) == "")
            withExtendedLifetime(token) {}
        }
    }
}

private protocol Leveled {
    var level: Int { get }
}

private final class Gauge: KeyValueObservable, Leveled {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var other = 0
    @Observed var quiet = 0
    var sum: Int { other + level + quiet }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Gauge.quiet }
}

private final class Panel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var gauge: Gauge?
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }

    @inline(never)
    fileprivate mutating func changeWaiting(_ body: (inout Int) async -> Void) async { await body(&self) }
}
