#include "CKeyValueObservingTrace.h"
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void kvo_trace_on_load(void) {
    const char *value = getenv("KEY_VALUE_OBSERVING_TRACE");
    if (value != 0 && strcmp(value, "1") == 0) kvo_trace_from_environment();
}
