// The atomic words of this module as steps of a scheduler.

#if KEY_VALUE_OBSERVING_SCHEDULED
import KeyValueObserving

typealias Atomic = ScheduledAtomic
#endif
