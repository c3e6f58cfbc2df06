// A meter whose reading changes often, and a display that follows it at most once in an interval.
import KeyValueObserving

@MainActor
final class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var reading = 0
}

/// Shows the first reading at once, and then the newest one, at most once in an interval.
///
/// It ends with the meter.
///
/// The loop sleeps after each reading, and only the newest reading waits meanwhile: so `readings` are made with the
/// policy `.bufferingNewest(1)`. The last reading is always shown.
@MainActor
func follow<C: Clock<Duration>>(
    _ readings: KeyValueSequence<Int>, every interval: Duration, clock: C, show: @MainActor (Int) -> Void
) async throws {
    for await reading in readings {
        show(reading)
        try await clock.sleep(for: interval)
    }
}
