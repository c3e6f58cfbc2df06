// Which form of the library is tested.
import Foundation

/// Whether a sanitizer watches, which keeps memory that was given back, and takes more of the stack for a call.
package let isUnderSanitizer = ProcessInfo.processInfo.environment["UNDER_SANITIZER"] != nil

/// Whether this is the build of `Scripts/test-threads`.
#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
package let isUnderThreadSanitizer = true
#else
package let isUnderThreadSanitizer = false
#endif

/// Whether this process runs with checks of the Swift runtime that fail on purpose: see `RuntimeAssumption`.
#if KEY_VALUE_OBSERVING_FAILING_CHECKS
package let doChecksFail = ProcessInfo.processInfo.environment["KEY_VALUE_OBSERVING_FAILING_CHECKS"] != nil
#else
package let doChecksFail = false
#endif

/// Whether the program was built without `-disable-reflection-metadata`.
package let hasReflectionMetadata = !Mirror(reflecting: Sample()).children.isEmpty

private struct Sample {
    let number = 1
}
