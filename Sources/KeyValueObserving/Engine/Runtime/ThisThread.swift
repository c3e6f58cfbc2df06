// What the library knows of the current thread.
public import CKeyValueObserving

/// The state of the current thread, which is one variable of C.
@usableFromInline
package enum ThisThread {
    /// A number that no other thread has or had.
    @inlinable static var number: UInt64 { kvo_thread_number() }

    /// Whether the stack is nearly used up: the sign of a cycle that would end the program without a message.
    static var stackIsNearlyFull: Bool { kvo_stack_is_nearly_full() }

    /// How far the stack has grown; every platform's stack grows downwards.
    static var stackPointer: UInt { kvo_stack_pointer() }

    /// Whether a getter is to report what it reads.
    @inlinable
    package static var isTracking: Bool {
        @inline(__always) get { unsafe kvo_tracker() != nil }
    }

    /// Whether a value is being read for observers, and not by a handler that was called meanwhile.
    @inlinable static var isEvaluating: Bool { kvo_is_evaluating() }

    /// Reads a value for observers.
    @inline(__always)
    static func evaluating<Result>(_ read: () -> Result) -> Result {
        let outer = kvo_begin_evaluation()
        defer { kvo_end_evaluation(outer) }
        return read()
    }

    /// Whether a change is being delivered.
    @inlinable
    static var isDelivering: Bool {
        @inline(__always) get { unsafe kvo_delivery() != nil }
    }
}
