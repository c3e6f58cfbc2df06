// Which actor the calling code runs on.
import CKeyValueObserving

extension Actor {
    /// Traps with a message if the calling code does not run on the actor.
    ///
    /// Where that can only be asserted, the message is Swift's.
    nonisolated func checkIsCurrent(_ message: () -> String) {
        switch isCurrent {
        case true?: break
        case false?: fatalError(message())
        case nil: preconditionIsolated(message())
        }
    }

    /// What to call so that a handler is called on the actor, for messages.
    nonisolated var deliveringCall: String {
        self === MainActor.shared ? "observeOnMainActor(_:)" : "observe(_:on:)"
    }

    /// Whether the calling code runs on the actor; nil if that can only be asserted.
    nonisolated var isCurrent: Bool? {
        #if KEY_VALUE_OBSERVING_PLAIN || !os(Linux)
        return nil
        #else
        let executor = unsafe unsafeBitCast(unownedExecutor, to: kvo_executor.self)
        if kvo_is_current_executor(executor) { return true }
        let main = unsafe unsafeBitCast(MainActor.sharedUnownedExecutor, to: kvo_executor.self)
        if executor.identity == main.identity { return kvo_is_on_main_queue() }
        // An executor that a program brings with it may know more than the runtime does.
        return executor.implementation == 0 ? false : nil
        #endif
    }
}
