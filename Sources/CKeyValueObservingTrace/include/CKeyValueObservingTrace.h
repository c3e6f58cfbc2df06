// Starts tracing while a program is loaded, which Swift cannot do.
#ifndef CKEYVALUEOBSERVINGTRACE_H
#define CKEYVALUEOBSERVINGTRACE_H

/// Begins to trace; in Swift.
void kvo_trace_from_environment(void);

#endif
