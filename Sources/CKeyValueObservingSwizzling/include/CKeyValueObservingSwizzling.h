// What becomes of an object's class word, and of its end. Where there is an Objective-C runtime nothing of this is needed.
//
// What is known of Swift here, and where it is written down:
// - The first word of an object is its class: the address of the class's metadata (docs/ABI/TypeMetadata.rst, "Heap
//   object"). The calls of methods that can be overridden start from that word each time.
// - Two words before that address stands the function that ends an object of the class and frees it, called with the
//   object where methods have `self` ("Heap metadata": "destroying destructor"). The runtime calls it through the
//   object's class word when the last strong reference goes, and from nowhere else for an object that has escaped.
// - The metadata of a class can be written: the runtime itself completes it.
// - An unowned reference keeps an object's memory, and nothing else of it. All strong references together count as one,
//   until the object's fields are destroyed (stdlib/public/SwiftShims/swift/shims/RefCount.h). An object that the compiler
//   put on the stack has one more from the start, and is not ended through its class.
#ifndef CKEYVALUEOBSERVINGSWIZZLING_H
#define CKEYVALUEOBSERVINGSWIZZLING_H

#if !defined(__OBJC__) && !defined(__APPLE__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// How much memory an object of a class takes, what belongs to its fields included.
__attribute__((swiftcall)) intptr_t kvo_swift_instance_size(uintptr_t class_address)
    __asm__("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF");
static inline intptr_t kvo_instance_size(uintptr_t class_address) { return kvo_swift_instance_size(class_address); }

/// Whether the last strong reference to an object has gone.
bool swift_isDeallocating(void *object);

/// The class of an object, which another thread may be replacing.
static inline uintptr_t kvo_class(void *object) { return __atomic_load_n((uintptr_t *)object, __ATOMIC_ACQUIRE); }

/// Replaces the class of an object if it is the one that is expected.
///
/// Both classes must lay out their objects in the same way.
static inline bool kvo_replace_class(void *object, uintptr_t expected, uintptr_t replacement) {
    return __atomic_compare_exchange_n(
        (uintptr_t *)object, &expected, replacement, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/// Has a function called at the end of each object of a class, after all its `deinit`s and before its memory is freed.
///
/// Call it once for each class, for one class at a time, before the function has anything to do for an object of the
/// class. If a `deinit` belongs to an actor, the function is called when the last reference goes, and the `deinit` may be
/// run later.
void kvo_call_at_end(uintptr_t class_address, void (*ended)(void *object));

/// Whether this thread is ending an object, and will call the function that was given to `kvo_call_at_end`.
bool kvo_is_ending_here(void *object);

/// Keeps the memory of an object, which may have begun its `deinit`.
void *swift_unownedRetain(void *object);
/// Keeps it no more.
void swift_unownedRelease(void *object);
/// How many references keep the memory of an object.
size_t swift_unownedRetainCount(void *object);

#pragma clang assume_nonnull end
#endif

#endif
