// What the compiler says of classes that Observation is to track.
import KeyValueObserving
import KeyValueTracking
import Observation

class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

// expect: 'KeyValueTrackable' requires the types '_NotTrackable' and '_Trackable' be equivalent
final class Employee: Person, KeyValueTrackable {
    let observationRegistrar = ObservationRegistrar()
    @Observed var salary = 0
}

// expect: (it compiles)
class Animal: KeyValueTrackable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var legs = 4
}
final class Bird: Animal {
    @Observed var wings = 2
}

// expect: (it compiles)
final class Both: KeyValueObservable, KeyValueTrackable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var age = 0
}
final class Apart: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var age = 0
}
extension Apart: KeyValueTrackable {}

// expect: method does not override any method from its superclass
final class Employee: Person {
    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
}
