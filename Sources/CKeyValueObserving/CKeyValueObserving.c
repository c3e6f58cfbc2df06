#include "CKeyValueObserving.h"

KVO_THREAD_LOCAL void *kvo_thread_recording = 0;
KVO_THREAD_LOCAL void *kvo_thread_delivery = 0;
KVO_THREAD_LOCAL void *kvo_thread_open_change = 0;
KVO_THREAD_LOCAL bool kvo_thread_asks_class = false;

#if !defined(_WIN32)
#include <pthread.h>
#include <stdlib.h>

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
