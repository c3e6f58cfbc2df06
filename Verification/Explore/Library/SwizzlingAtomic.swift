// The atomic words of the swizzling module as steps of a scheduler.
import KeyValueObserving

typealias Atomic = ScheduledAtomic
