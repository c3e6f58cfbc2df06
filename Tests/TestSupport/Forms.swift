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
