// Delivery in GLib's main loop.
import CGtk
package import KeyValueObserving
import Synchronization

/// Runs handlers in GLib's main loop: `model.values(of: \.progress).deliver(on: .glibMain) { … }`.
///
/// Jobs that come while the loop is busy run in order when it is idle.
package struct GLibExecutor: KeyValueChangeExecutor {
    private static let jobs = Mutex<[@Sendable () -> Void]>([])

    package func execute(_ job: @escaping @Sendable () -> Void) {
        let isFirst = Self.jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        guard isFirst else { return }
        unsafe _ = g_idle_add_full(
            G_PRIORITY_DEFAULT_IDLE,
            { _ in
                for job in GLibExecutor.take() { job() }
                return 0
            }, nil, nil)
    }

    private static func take() -> [@Sendable () -> Void] {
        jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }
}

extension KeyValueChangeExecutor where Self == GLibExecutor {
    /// GLib's main loop.
    package static var glibMain: GLibExecutor { GLibExecutor() }
}

extension KeyValueSequence where Element: Sendable {
    /// Calls a handler on the main actor with the newest element, in GLib's main loop, so that it may change widgets.
    package func deliverToWidgets(_ handler: @escaping @MainActor (Element) -> Void) -> KeyValueObservation {
        buffer(policy: .bufferingNewest(1)).deliver(on: .glibMain) { element in
            MainActor.assumeIsolated { handler(element) }
        }
    }
}
