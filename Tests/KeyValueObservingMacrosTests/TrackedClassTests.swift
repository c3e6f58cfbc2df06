// Classes declared by macro that Swift's Observation tracks, too.
import KeyValueObserving
import KeyValueObservingMacros
import KeyValueObservingObservation
import Observation
import TestSupport
import Testing

@Suite("Tracking of classes declared by macro")
struct TrackedClassTests {
    @Test("20.1 Observation tracks plain properties, those with code of their own, and weak ones")
    func tracking() {
        let tracked = Tracked()
        /// Whether a change is noticed by somebody who has read something.
        func notices(_ read: () -> Void, _ change: () -> Void) -> Bool {
            let log = Log()
            withObservationTracking(read) { log.add("changed") }
            change()
            return log.take() == ["changed"]
        }
        #expect(notices({ _ = tracked.plain }, { tracked.plain = 1 }))
        #expect(notices({ _ = tracked.watched }, { tracked.watched = 1 }))
        #expect(notices({ _ = tracked.watched }, { tracked.watched += 1 }))
        #expect(notices({ _ = tracked.other }, { tracked.other = tracked }))
        #expect(!notices({ _ = tracked.plain }, { tracked.watched = 1 }))
        #expect(tracked.count == 3)
    }
}

@KeyValueObservable
private final class Tracked: KeyValueTrackable {
    let observationRegistrar = ObservationRegistrar()
    var plain = 0
    var watched = 0 { didSet { count += 1 } }
    weak var other: Tracked?
    @NotObserved var count = 0
}
