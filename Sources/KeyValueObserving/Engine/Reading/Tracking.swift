// Whether somebody listens to what is read on a thread.
import CKeyValueObserving

/// Listening to what is read on the current thread; who listens is a ``Tracker``.
@usableFromInline
package enum Tracking {
    /// Runs code whose reads are nobody's dependencies: handlers, questions to classes.
    @usableFromInline
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        ThisThread.isTracking ? unsafe passed(to: nil, body) : body()
    }

    /// Runs code whose reads are reported to a listener, which the caller holds; nil for nobody.
    @unsafe static func passed<Result>(to listener: UnsafeMutableRawPointer?, _ body: () -> Result) -> Result {
        let outer = unsafe kvo_tracker()
        unsafe kvo_set_tracker(listener)
        defer { unsafe kvo_set_tracker(outer) }
        return body()
    }
}
