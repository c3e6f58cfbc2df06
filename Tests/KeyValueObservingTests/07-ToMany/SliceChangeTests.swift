// Changes of collections whose positions do not begin at 0, made again in copies: 7.1, 7.5.
import Foundation
import KeyValueObserving
import Testing

@Suite("7.5 Changes of slices")
struct SliceChangeTests {
    @Test(
        "7.5 7.1 Replaying the changes of a slice gives its value at the same positions, and undoing them the one before"
    )
    func slices() {
        check(\.slice) { $0 }
        check(\.bytes) { UInt8($0) }
        check(\.array) { $0 }
    }

    private func check<Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection & Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Stretch, Value>, element: (Int) -> Value.Element
    ) where Value.Index == Int {
        for call in Call.allCases {
            let stretch = Stretch()
            let view = stretch.mutable(keyPath)
            var states = [stretch[keyPath: keyPath]]
            let token = stretch.observe(keyPath, options: [.old, .new]) { stretch, change in
                let last = states[states.count - 1]
                var copy = last
                change.apply(to: &copy)
                var undone = copy
                change.inverse?.apply(to: &undone)
                #expect(undone == last && undone.startIndex == last.startIndex, "\(call)")
                states.append(copy)
            }
            call.make(in: view, element)
            view.append(element(9))
            let outcome = stretch[keyPath: keyPath]
            #expect(states.last == outcome && states.last?.startIndex == outcome.startIndex, "\(call)")
            withExtendedLifetime(token) {}
        }
    }

    enum Call: CaseIterable {
        case removeOne, removeSeveral, removeAll, insertSeveral, replaceSeveral, replaceSubrange, move, reverse

        fileprivate func make<Value>(in view: ObservedMutableProperty<Value>, _ element: (Int) -> Value.Element)
        where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
            let start = view.startIndex
            let several = RangeSet(start, start + 2, start + 3)
            switch self {
            case .removeOne: view.removeSubranges(RangeSet(start))
            case .removeSeveral: view.removeSubranges(several)
            case .removeAll: view.removeAll()
            case .insertSeveral: view.insert(contentsOf: [7, 8, 9].map(element), at: several)
            case .replaceSeveral: view.replaceSubranges(several, with: [7, 8, 9].map(element))
            case .replaceSubrange: view.replaceSubrange(start..<(start + 3), with: [element(7)])
            case .move: view.moveSubranges(several, to: start + 2)
            case .reverse: view.reverse()
            }
        }
    }
}

private final class Stretch: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var slice = Array(0..<8)[3...]
    @Observed var bytes = Data(0..<8)[3...]
    @Observed var array = Array(0..<8)
}
