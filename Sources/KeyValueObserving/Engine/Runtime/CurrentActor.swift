// Which actor the calling code runs on.
import CKeyValueObserving

extension Actor {
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
