#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CKeyValueObserving.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <pthread.h>
#endif

KVO_THREAD_LOCAL kvo_thread kvo_this_thread;

uint64_t kvo_make_thread_number(void) {
    static _Atomic(uint64_t) last;
    kvo_this_thread.number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return kvo_this_thread.number;
}

static uintptr_t kvo_limit(uintptr_t lowest, size_t size) {
    size_t reserve = size / 4 < 256 * 1024 ? size / 4 : 256 * 1024;
    return lowest + reserve;
}

uintptr_t kvo_find_stack_limit(void) {
    // Nothing lies below address 1: there the stack is never full.
    uintptr_t limit = 1;
#if defined(__linux__)
    pthread_attr_t attributes;
    void *lowest = 0;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) limit = kvo_limit((uintptr_t)lowest, size);
        pthread_attr_destroy(&attributes);
    }
#elif defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    limit = kvo_limit((uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size, size);
#endif
    kvo_this_thread.stack_limit = limit;
    return limit;
}

#if defined(__linux__) && defined(__clang__)
// Swift's concurrency runtime brings libdispatch with it, or does without.
extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

bool kvo_is_on_main_queue(void) {
    const char *label = dispatch_queue_get_label == 0 ? 0 : dispatch_queue_get_label(0);
    return label != 0 && strcmp(label, "com.apple.main-thread") == 0;
}
#endif

void kvo_write_error_line(const char *line) { fprintf(stderr, "%s\n", line); }

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
