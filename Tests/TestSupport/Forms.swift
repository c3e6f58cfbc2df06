// Which form of the library is tested.

/// Whether this is the build of `Scripts/test-threads`.
#if KEY_VALUE_OBSERVING_PTHREAD_LOCK
package let isUnderThreadSanitizer = true
#else
package let isUnderThreadSanitizer = false
#endif
