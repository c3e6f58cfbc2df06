// What Swift's Observation sees of accesses in place.
import KeyValueObserving
import KeyValueObservingObservation
import Observation
import TestSupport
import Testing

@Suite("D12 Accesses in place that are tracked")
struct TrackingDetailTests {
    @Test("D12 An access in place is a read of the property, too")
    func inPlace() {
        let (list, log) = (List(), Log())
        withObservationTracking {
            list.entries.append("a")
        } onChange: {
            log.add("changed")
        }
        #expect(log.take() == [])
        list.entries = []
        #expect(log.take() == ["changed"])
    }
}

private final class List: KeyValueTrackable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var entries: [String] = []
}
