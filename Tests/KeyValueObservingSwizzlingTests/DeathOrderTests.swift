// An object of another module's class, and all that observes it, die in every order: 9.4 and 15.3.
import ForeignClasses
import KeyValueObserving
import KeyValueObservingStyles
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("9.4 15.3 The orders of deaths around a foreign object")
struct ForeignDeathOrderTests {
    private enum Participant: CaseIterable {
        case object, token, controller, controllersObserver, owner, target
    }

    @Test(
        "9.4 15.3 Whatever dies in whatever order: nothing stays, and what is dead is not called",
        arguments: [false, true])
    func orders(inTransaction: Bool) throws {
        for order in Self.orders(of: Participant.allCases) {
            let witness = Witness()
            let world = try World(witness)
            for participant in order {
                func step() {
                    world.change()
                    world.end(participant)
                    world.change()
                }
                if inTransaction { withKeyValueTransaction { step() } } else { step() }
                world.calls = []
                world.change()
                #expect(world.calls.isDisjoint(with: world.ended), "\(order)")
            }
            #expect(world.isGone && witness.count == 0, "\(order)")
        }
    }

    private static func orders(of participants: [Participant]) -> [[Participant]] {
        guard participants.count > 1 else { return [participants] }
        return participants.flatMap { first in
            orders(of: participants.filter { $0 != first }).map { [first] + $0 }
        }
    }

    /// A foreign object with everything that may observe it.
    private final class World {
        private var object: NotifyingEnding?
        private weak var weakObject: NotifyingEnding?
        private var token: KeyValueObservation?
        private var observer: Bystander? = Bystander()
        private var controller: KVOController<Bystander>?
        private var owner: Bystander? = Bystander()
        private var target: Target? = Target()
        private weak var weakTarget: Target?
        private var binding: KeyValueObservation?
        var calls: Set<Participant> = []
        private(set) var ended: Set<Participant> = []

        init(_ witness: Witness) throws {
            let object = try NotifyingEnding.makeObservable(Ending { _ in })
            (self.object, weakObject, weakTarget) = (object, object, target)
            func note(_ participant: Participant) -> () -> Void {
                let held = Held(witness)
                return { [unowned self] in withExtendedLifetime(held) { _ = calls.insert(participant) } }
            }
            let (ofToken, ofController, ofOwner) = (note(.token), note(.controller), note(.owner))
            token = object.observe(\.value, options: [.old, .new]) { _, _ in ofToken() }
            controller = observer.map { KVOController(observer: $0) }
            controller?.observe(object, \.value) { _, _, _ in ofController() }
            owner?.observe(object, \.value) { _, _, _ in ofOwner() }
            let ofTarget = note(.target)
            binding = target.map { target in
                object.bind(
                    reading: {
                        ofTarget()
                        return $0.value
                    }, to: target, \.value)
            }
        }

        func end(_ participant: Participant) {
            ended.insert(participant)
            switch participant {
            case .object: object = nil
            case .token: token = nil
            case .controller: controller = nil
            case .controllersObserver:
                observer = nil
                // The controller calls nobody, then.
                ended.insert(.controller)
            case .owner: owner = nil
            case .target: (target, binding) = (nil, nil)
            }
        }

        func change() { weakObject?.value += 1 }

        var isGone: Bool { weakObject == nil && weakTarget == nil }
    }

    private final class Bystander: KeyValueObservationOwner {
        let keyValueObservations = KeyValueObservationBag()
    }

    private final class Target {
        var value = 0
    }
}
