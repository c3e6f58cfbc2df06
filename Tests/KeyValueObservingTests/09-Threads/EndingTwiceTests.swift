// Two threads that end the same registrations: 9.3.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("9.3 Ends on two threads")
struct EndingTwiceTests {
    /// A call that ends all that is registered for an observer, or for its controller.
    enum End: CaseIterable {
        case allObservers, observer, observerAtKeyPaths
        case owner, ownerOfSource, ownerAtKeyPaths
        case controller, controllerOfObject, controllerAtKeyPaths
        case token

        /// Those that end the same registrations.
        var others: [End] {
            let groups: [[End]] = [
                [.allObservers, .observer, .observerAtKeyPaths], [.owner, .ownerOfSource, .ownerAtKeyPaths],
                [.controller, .controllerOfObject, .controllerAtKeyPaths], [.token],
            ]
            return groups.first { $0.contains(self) } ?? []
        }

        fileprivate func callAsFunction(_ things: Things) {
            let (boiler, warden) = (things.boiler, things.warden)
            switch self {
            case .allObservers: boiler.removeAllObservers()
            case .observer: boiler.removeObserver(warden)
            case .observerAtKeyPaths: boiler.removeObserver(warden, for: \Boiler.level, \Boiler.name)
            case .owner: warden.stopObservingAll()
            case .ownerOfSource: warden.stopObserving(boiler)
            case .ownerAtKeyPaths:
                warden.stopObserving(boiler, \Boiler.level)
                warden.stopObserving(boiler, \Boiler.name)
            case .controller: things.controller.unobserveAll()
            case .controllerOfObject: things.controller.unobserve(boiler)
            case .controllerAtKeyPaths:
                things.controller.unobserve(boiler, \Boiler.level)
                things.controller.unobserve(boiler, \Boiler.name)
            case .token: things.token?.invalidate()
            }
        }

        /// Registers what it ends: handlers that hold a bolt, and write to the warden's log.
        fileprivate func register(_ things: Things, holding bolt: @escaping () -> Bolt) {
            let (boiler, warden) = (things.boiler, things.warden)
            func register<Value>(_ keyPath: KeyPath<Boiler, Value>) {
                let bolt = bolt()
                switch self {
                case .allObservers, .observer, .observerAtKeyPaths:
                    boiler.addObserver(warden, for: [keyPath]) { warden, _, _ in warden.log.add("called \(bolt)") }
                case .owner, .ownerOfSource, .ownerAtKeyPaths:
                    warden.observe(boiler, keyPath) { warden, _, _ in warden.log.add("called \(bolt)") }
                default:
                    things.controller.observe(boiler, keyPath) { warden, _, _ in warden.log.add("called \(bolt)") }
                }
            }
            guard self == .token else {
                register(\.level)
                return register(\.name)
            }
            let bolt = bolt()
            things.token = boiler.observe(keyPaths: [\Boiler.level, \Boiler.name]) { [log = warden.log] _, _ in
                log.add("called \(bolt)")
            }
        }
    }

    @Test(
        "9.3 When an end returns, no call starts, also where another thread is still ending", arguments: End.allCases)
    func ends(first: End) {
        for second in first.others {
            let things = Unchecked(value: Things())
            let (held, isFirst) = (HeldChange(), Guarded(true))
            first.register(things.value) {
                Bolt { if isFirst.withLock({ exchange(&$0, with: false) }) { held.hold() } }
            }
            held.begin { first(things.value) }
            second(things.value)
            things.value.boiler.level = 1
            things.value.boiler.name = "a"
            #expect(things.value.warden.log.take() == [], "\(first), and then \(second)")
            held.finish()
            #expect(things.value.boiler.observationInfo.isEmpty)
        }
    }
}

private final class Things {
    let boiler = Boiler()
    let warden = Warden()
    private(set) lazy var controller = KVOController(observer: warden)
    var token: KeyValueObservation?
}

/// Runs a function when it is released.
private final class Bolt {
    private let release: () -> Void

    init(release: @escaping () -> Void) {
        self.release = release
    }

    deinit {
        release()
    }
}
