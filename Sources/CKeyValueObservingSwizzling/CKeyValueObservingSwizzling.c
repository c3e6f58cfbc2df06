// Calls a function at the end of each object of a class.
#include "CKeyValueObservingSwizzling.h"

#if !defined(__OBJC__) && !defined(__APPLE__)
#include <stdlib.h>

/// How Swift ends and frees an object: a method without parameters.
typedef __attribute__((swiftcall)) void (*kvo_destroyer)(__attribute__((swift_context)) void *object);

/// A class whose destroyer was replaced. It stays for good, as the class does.
typedef struct kvo_known_class {
    uintptr_t address;
    kvo_destroyer destroyer;
    void (*ended)(void *object);
    struct kvo_known_class *next;
} kvo_known_class;

/// The list grows at its front only, so it is read without a lock.
static kvo_known_class *_Nullable kvo_classes;

/// An object that a thread is ending. It lies in the frame that does.
typedef struct kvo_end {
    void *object;
    struct kvo_end *_Nullable outer;
} kvo_end;

static _Thread_local kvo_end *_Nullable kvo_innermost_end;

__attribute__((swiftcall)) static void kvo_destroy(__attribute__((swift_context)) void *object) {
    uintptr_t address = kvo_class(object);
    kvo_known_class *class = __atomic_load_n(&kvo_classes, __ATOMIC_ACQUIRE);
    while (class->address != address) class = class->next;
    // The memory stays until it is known no more, so that no other object can have the same address meanwhile.
    swift_unownedRetain(object);
    kvo_end end = {object, kvo_innermost_end};
    kvo_innermost_end = &end;
    class->destroyer(object);
    kvo_innermost_end = end.outer;
    class->ended(object);
    swift_unownedRelease(object);
}

void kvo_call_at_end(uintptr_t class_address, void (*ended)(void *object)) {
    kvo_destroyer *destroyer = (kvo_destroyer *)class_address - 2;
    kvo_known_class *class = malloc(sizeof(kvo_known_class));
    if (class == NULL) abort();
    *class = (kvo_known_class){class_address, *destroyer, ended, kvo_classes};
    // Whoever finds the new destroyer finds the class.
    __atomic_store_n(&kvo_classes, class, __ATOMIC_RELEASE);
    __atomic_store_n(destroyer, kvo_destroy, __ATOMIC_RELEASE);
}

bool kvo_is_ending_here(void *object) {
    for (kvo_end *end = kvo_innermost_end; end != NULL; end = end->outer)
        if (end->object == object) return true;
    return false;
}
#endif
