// An access in place that lasts.

/// Runs `body` while a property is accessed in place.
@inline(never)
func inPlace<Value>(_ value: inout Value, _ body: (inout Value) -> Void) { body(&value) }
