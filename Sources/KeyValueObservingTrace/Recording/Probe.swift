// How many registrations there were.
import KeyValueObserving
import Synchronization

/// An object that is registered on to learn the number which a registration gets.
final class Probe: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var value = 0
    /// How many registrations were made on such objects.
    private static let uses = Atomic(0)

    /// What was registered until now.
    static func earlier() -> KeyValueTrace.Earlier? {
        let probe = Probe()
        let uses = uses.wrappingAdd(1, ordering: .relaxed).oldValue
        let observation = probe.observe(\.value) { _, _ in }
        defer { observation.invalidate() }
        return probe.tracedCallCounts.keys.first.map { KeyValueTrace.Earlier(count: Int($0) - 1 - uses, end: $0) }
    }
}
