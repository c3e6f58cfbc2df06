// A boiler, and its observer.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport

/// Has two properties, one computed from them, and one that cannot be observed.
class Boiler: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var name = ""
    var isFull: Bool { level > 8 }
    var plain = 0
}

final class SteamBoiler: Boiler {}

/// Owns its registrations, and writes down what they deliver.
final class Warden: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
    let log = Log()
}
