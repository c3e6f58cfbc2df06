// All that takes part in observing dies in every order: nothing is left, and nobody dead is called. 9.4
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("9.4 The orders of deaths")
struct DeathOrderTests {
    // #325 #326 #334
    @Test(
        "9.4 B4 B5 B6 Whatever dies first, second and third: nothing stays, and what is dead is not called",
        arguments: Participant.allCases, [false, true])
    func orders(first: Participant, inTransaction: Bool) async {
        for second in Participant.allCases where second != first {
            for third in Participant.allCases where third != first && third != second {
                let rest = Participant.allCases.filter { ![first, second, third].contains($0) }
                let world = World()
                for participant in [first, second, third] + rest {
                    if inTransaction {
                        withKeyValueTransaction {
                            world.change()
                            world.end(participant)
                            world.change()
                        }
                    } else {
                        world.end(participant)
                    }
                    world.change()
                    let dead = world.callsOfTheDead(apartFrom: inTransaction ? participant : nil)
                    #expect(dead == [], "\(first), \(second), \(third)")
                }
                await world.flush()
                #expect(world.alive.withLock { $0 } == 0, "\(first), \(second), \(third)")
            }
        }
    }
}

enum Participant: CaseIterable, Sendable {
    case object, root, token, controller, controllersObserver, owner, addedObserver, view, iteration, target, binding,
        elsewhere
}

/// Objects that observe one another in all ways, each of which can be ended.
private final class World {
    let alive = Guarded(0)
    private let calls = Guarded<[Participant]>([])
    private var ended: Set<Participant> = []

    private var object: Subject?
    private weak var weakObject: Subject?
    private var root: Subject?
    private var token: KeyValueObservation?
    private var pathToken: KeyValueObservation?
    private var controller: KVOController<Bystander>?
    private var controllersObserver: Bystander?
    private var owner: Bystander?
    private var addedObserver: Bystander?
    private var view: ObservedMutableArray<Int>?
    private var iterator: KeyValueSequence<KeyValueObservedChange<Int>>.Iterator?
    private var target: Subject?
    private var binding: KeyValueObservation?
    private var elsewhere: KeyValueObservation?
    private var receiver: Receiver? = Receiver()

    init() {
        let (object, root, target) = (Subject(alive), Subject(alive), Subject(alive))
        let (watcher, owner, added) = (Bystander(alive), Bystander(alive), Bystander(alive))
        (self.object, self.root, self.target, weakObject) = (object, root, target, object)
        (controllersObserver, self.owner, addedObserver) = (watcher, owner, added)
        root.next = object
        func note(_ participant: Participant) -> @Sendable () -> Void {
            let captured = Captured(alive)
            return { [calls] in withExtendedLifetime(captured) { calls.withLock { $0.append(participant) } } }
        }
        let ofToken = note(.token)
        token = object.observe(\.number, options: [.old, .new]) { _, _ in ofToken() }
        let ofRoot = note(.root)
        pathToken = root.observe(\.next?.number, options: [.old, .new]) { _, _ in ofRoot() }
        controller = KVOController(observer: watcher)
        let ofController = note(.controller)
        let ofObserver = note(.controllersObserver)
        controller?.observe(object, \.number) { _, _, _ in
            ofController()
            ofObserver()
        }
        let ofOwner = note(.owner)
        owner.observe(object, \.doubled) { _, _, _ in ofOwner() }
        let ofAdded = note(.addedObserver)
        object.addObserver(added, for: [\.number, \.numbers]) { _, _, _ in ofAdded() }
        view = object.mutable(\.numbers)
        iterator = object.changes(of: \.number).makeAsyncIterator()
        let ofBinding = note(.binding)
        let read: (Subject) -> Int = { object in
            ofBinding()
            return object.number
        }
        binding = object.bind(reading: read, to: target, \.number)
        let ofElsewhere = note(.elsewhere)
        elsewhere = receiver.map { object.changes(of: \.number).deliver(to: $0) { _, _ in ofElsewhere() } }
        // The binding has set its target.
        calls.withLock { $0 = [] }
    }

    func end(_ participant: Participant) {
        ended.insert(participant)
        switch participant {
        case .object: object = nil
        case .root: (root, pathToken) = (nil, nil)
        case .token: token = nil
        case .controller: controller = nil
        case .controllersObserver: controllersObserver = nil
        case .owner: owner = nil
        case .addedObserver: addedObserver = nil
        case .view: view = nil
        case .iteration: iterator = nil
        case .target: target = nil
        case .binding: binding = nil
        case .elsewhere: elsewhere = nil
        }
    }

    /// Has the actor call what waits for it, and lets go of it.
    func flush() async {
        // The runtime lets go of a call after the next one may have begun.
        while receiver != nil, alive.withLock({ $0 }) > 0, flushes < 1_000 {
            flushes += 1
            await receiver?.flush()
            await Task.yield()
        }
        receiver = nil
    }

    private var flushes = 0

    /// Changes the object, if anything keeps it.
    func change() {
        weakObject?.number += 1
        if let view { view.append(1) }
    }

    /// Who was called although it had ended before the last change, or had no object any more.
    ///
    /// - Parameter last: One that may have been called before it ended.
    /// - Returns: Those.
    func callsOfTheDead(apartFrom last: Participant?) -> Set<Participant> {
        let calls = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        // What waits for an actor is called there.
        return Set(calls).intersection(ended).subtracting([last, .elsewhere].compactMap { $0 })
    }
}

/// Counts itself while it lives.
private class Captured: @unchecked Sendable {
    private let alive: Guarded<Int>

    init(_ alive: Guarded<Int>) {
        self.alive = alive
        alive.withLock { $0 += 1 }
    }

    deinit { alive.withLock { $0 -= 1 } }
}

private final class Subject: Captured, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var numbers: [Int] = []
    @Observed var next: Subject?
    var doubled: Int { number * 2 }
}

private final class Bystander: Captured, KeyValueObservationOwner, @unchecked Sendable {
    let keyValueObservations = KeyValueObservationBag()
}

private actor Receiver {
    func flush() {}
}
