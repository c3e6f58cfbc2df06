#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CKeyValueObserving.h"
#include <stdio.h>

KVO_THREAD_LOCAL void *kvo_thread_recording = 0;
KVO_THREAD_LOCAL void *kvo_thread_delivery = 0;
KVO_THREAD_LOCAL void *kvo_thread_unlisted = 0;
KVO_THREAD_LOCAL void *kvo_thread_open_changes = 0;
KVO_THREAD_LOCAL bool kvo_thread_asks_class = false;
kvo_marker kvo_no_marker;
KVO_THREAD_LOCAL kvo_marker *kvo_thread_marker = &kvo_no_marker;

_Atomic(uint64_t) kvo_known_offsets[kvo_known_offsets_count];

#include <stdlib.h>
#if !defined(_WIN32)
#include <pthread.h>

static pthread_key_t kvo_open_changes_key;
static pthread_key_t kvo_marker_key;
static pthread_once_t kvo_keys_once = PTHREAD_ONCE_INIT;

static void kvo_release_open_changes(void *changes) {
    kvo_thread_open_changes = 0;
    swift_release(changes);
}

// The thread ends. An access that began on it may still wait for something, and ends on another one: then the few bytes
// of the marker stay.
static void kvo_end_marker(void *marker) {
    kvo_thread_marker = &kvo_no_marker;
    if (__c11_atomic_load(&((kvo_marker *)marker)->address, __ATOMIC_RELAXED) == 0) free(marker);
}

static void kvo_make_keys(void) {
    if (pthread_key_create(&kvo_open_changes_key, kvo_release_open_changes) != 0) abort();
    if (pthread_key_create(&kvo_marker_key, kvo_end_marker) != 0) abort();
}

// Has something ended when this thread ends.
static void kvo_end_with_thread(const pthread_key_t *key, void *value) {
    pthread_once(&kvo_keys_once, kvo_make_keys);
    pthread_setspecific(*key, value);
}
#endif

void kvo_keep_open_changes(void *changes) {
    kvo_thread_open_changes = changes;
#if !defined(_WIN32)
    kvo_end_with_thread(&kvo_open_changes_key, changes);
#endif
}

void kvo_make_marker(void) {
    if (kvo_thread_marker != &kvo_no_marker) return;
    kvo_marker *marker = calloc(1, sizeof(kvo_marker));
    if (marker == 0) abort();
    kvo_thread_marker = marker;
#if !defined(_WIN32)
    kvo_end_with_thread(&kvo_marker_key, marker);
#endif
}

#if __has_attribute(swiftcall)
#define KVO_SWIFT_CALL __attribute__((swiftcall))
#else
#define KVO_SWIFT_CALL
#endif

// Swift calls these with a closure, which is passed as two words; types follow, which are of no interest here.

KVO_SWIFT_CALL
uintptr_t kvo_get_plain_function(uintptr_t function, uintptr_t context) { return context == 0 ? function : 0; }

KVO_SWIFT_CALL
void kvo_get_closure_words(uintptr_t function, uintptr_t context, uintptr_t *words) {
    words[0] = function;
    words[1] = context;
}

void kvo_write_error_line(const char *line) { fprintf(stderr, "%s\n", line); }

bool kvo_stack_nears_its_end(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    void *lowest = 0;
    size_t size = 0;
    int result = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    if (result != 0) return false;
    return here - (uintptr_t)lowest < size / 4;
#elif defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    uintptr_t highest = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    return here - (highest - size) < size / 4;
#else
    (void)here;
    return false;
#endif
}

#if !defined(_WIN32)

void *kvo_mutex_create(void) {
    pthread_mutex_t *mutex = malloc(sizeof(pthread_mutex_t));
    if (mutex == 0 || pthread_mutex_init(mutex, 0) != 0) abort();
    return mutex;
}

void kvo_mutex_destroy(void *mutex) {
    pthread_mutex_destroy(mutex);
    free(mutex);
}

void kvo_mutex_lock(void *mutex) {
    if (pthread_mutex_lock(mutex) != 0) abort();
}

void kvo_mutex_unlock(void *mutex) {
    if (pthread_mutex_unlock(mutex) != 0) abort();
}
#endif
