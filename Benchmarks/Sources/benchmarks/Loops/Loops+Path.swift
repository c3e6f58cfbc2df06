// A path a.b.c: setting its end, and replacing the object in its middle.
import BenchmarkModels
import KeyValueObserving
import Observation
import OpenCombine

extension Loop {
    static var paths: [Loop] {
        [
            Loop("path-leaf/observed") {
                let model = ObservedModel()
                let told = Told()
                let root = ObservedHolder(ObservedHeld(model))
                let observation = root.observe(\.held.model.number, options: [.old, .new]) {
                    told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                }
                return steps(told, keeping: (root, observation), number: { model.number }, set: { model.number = $0 })
            },
            Loop("path-optional/observed") {
                let leaf = ObservedNode()
                let told = Told()
                let root = ObservedNode(next: ObservedNode(next: leaf))
                let observation = observe(root, told)
                return steps(told, keeping: (root, observation), number: { leaf.number }, set: { leaf.number = $0 })
            },
            Loop("path-optional/observation") {
                let leaf = ObservableNode()
                let told = Told()
                let root = ObservableNode(next: ObservableNode(next: leaf))
                track(root, told)
                return { count in
                    let start = leaf.number
                    told.reset()
                    repeated(count) { value in
                        leaf.number = start + value
                        track(root, told)
                    }
                    told.expectSteps(to: count, from: nil, offset: start)
                }
            },
            Loop("path-optional/published") {
                let leaf = PublishedNode()
                let told = Told()
                let root = PublishedNode(next: PublishedNode(next: leaf))
                let subscription = subscribe(root, told)
                return { count in
                    told.reset()
                    repeated(count) { leaf.number = $0 }
                    told.expectSteps(to: count, from: nil)
                    withExtendedLifetime((root, subscription)) {}
                }
            },
            Loop("path-middle/observed") {
                let leaves = (ObservedNode(), ObservedNode())
                (leaves.0.number, leaves.1.number) = (1, 2)
                let middles = Alternation(ObservedNode(next: leaves.0), ObservedNode(next: leaves.1))
                let root = ObservedNode(next: middles.first)
                let told = Told()
                let observation = observe(root, told)
                return { count in
                    root.next = middles.first
                    told.reset()
                    repeated(count) { root.next = middles.at($0) }
                    middles.expect(told, count, tellsOld: true)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("path-middle/observation") {
                let leaves = (ObservableNode(), ObservableNode())
                (leaves.0.number, leaves.1.number) = (1, 2)
                let middles = Alternation(ObservableNode(next: leaves.0), ObservableNode(next: leaves.1))
                let root = ObservableNode(next: middles.first)
                let told = Told()
                track(root, told)
                return { count in
                    for next in [nil, middles.first] {
                        root.next = next
                        track(root, told)
                    }
                    told.reset()
                    repeated(count) { step in
                        root.next = middles.at(step)
                        track(root, told)
                    }
                    middles.expect(told, count, tellsOld: false)
                }
            },
            Loop("path-middle/published") {
                let leaves = (PublishedNode(), PublishedNode())
                (leaves.0.number, leaves.1.number) = (1, 2)
                let middles = Alternation(PublishedNode(next: leaves.0), PublishedNode(next: leaves.1))
                let root = PublishedNode(next: middles.first)
                let told = Told()
                let subscription = subscribe(root, told)
                return { count in
                    root.next = middles.first
                    told.reset()
                    repeated(count) { root.next = middles.at($0) }
                    middles.expect(told, count, tellsOld: false)
                    withExtendedLifetime(subscription) {}
                }
            },
        ]
    }
}

/// A loop that sets the end of a path, whose root and observation are kept.
private func steps(
    _ told: Told, keeping kept: Any, number: @escaping () -> Int, set: @escaping (Int) -> Void
) -> (Int) -> Void {
    { count in
        let start = number()
        repeated(count, set)
        told.expectSteps(to: count, from: start)
        withExtendedLifetime(kept) {}
    }
}

private func observe(_ root: ObservedNode, _ told: Told) -> KeyValueObservation {
    root.observe(\.next?.next?.number, options: [.old, .new]) {
        told.note(($1.oldValue ?? nil) ?? -1, ($1.newValue ?? nil) ?? -1)
    }
}

private func track(_ root: ObservableNode, _ told: Told) {
    withObservationTracking {
        told.read(root.next?.next?.number ?? -1)
    } onChange: {
        told.note()
    }
}

private func subscribe(_ root: PublishedNode, _ told: Told) -> AnyCancellable {
    root.$next.compactMap { $0 }
        .map { middle in
            middle.$next.compactMap { $0 }.map { leaf in leaf.$number }.switchToLatest()
        }
        .switchToLatest()
        .sink { told.note($0) }
}
