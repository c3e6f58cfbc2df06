// Tracing switched on by an environment variable.

/// Starts tracing and printing changes; called while the program is loaded, if `KEY_VALUE_OBSERVING_TRACE` is 1.
@c(kvo_trace_from_environment)
func traceFromEnvironment() {
    KeyValueTrace.start(valueLength: 80, printsChanges: true)
}
