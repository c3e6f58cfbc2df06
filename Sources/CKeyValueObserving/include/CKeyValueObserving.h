// What Swift cannot declare or does not export: the state of a thread, its stack, a few functions of the Swift runtime,
// standard error, the program's symbols, and the lock of the sanitizer builds.
#ifndef CKEYVALUEOBSERVING_H
#define CKEYVALUEOBSERVING_H

#include <stdbool.h>
#include <stdint.h>

// In an executable the linker turns either model into one instruction. In a shared library initial-exec keeps it one load.
#if defined(__ELF__)
#define KVO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define KVO_THREAD_LOCAL _Thread_local
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// What the library knows of a thread; all zero until something happens there.
typedef struct kvo_thread {
    /// The tracker that getters on this thread report to, or null.
    void *_Nullable tracker;
    /// The innermost delivery under way on this thread, or null.
    void *_Nullable delivery;
    /// The transaction that is open on this thread, or null.
    void *_Nullable transaction;
    /// The innermost list of registrations that changes made on this thread are not delivered to, or null.
    void *_Nullable ignored;
    /// A number that no other thread has or had, or 0 if nobody asked for it yet.
    uint64_t number;
    /// Below this address the stack is nearly used up; 0 until the first question.
    uintptr_t stack_limit;
    /// The number of the traced event inside which this thread runs, or 0.
    uint64_t event;
} kvo_thread;

extern KVO_THREAD_LOCAL kvo_thread kvo_this_thread;

static inline void *_Nullable kvo_tracker(void) { return kvo_this_thread.tracker; }
static inline void kvo_set_tracker(void *_Nullable tracker) { kvo_this_thread.tracker = tracker; }

static inline void *_Nullable kvo_delivery(void) { return kvo_this_thread.delivery; }
static inline void kvo_set_delivery(void *_Nullable delivery) { kvo_this_thread.delivery = delivery; }

static inline void *_Nullable kvo_transaction(void) { return kvo_this_thread.transaction; }
static inline void kvo_set_transaction(void *_Nullable transaction) { kvo_this_thread.transaction = transaction; }

static inline void *_Nullable kvo_ignored(void) { return kvo_this_thread.ignored; }
static inline void kvo_set_ignored(void *_Nullable ignored) { kvo_this_thread.ignored = ignored; }

static inline uint64_t kvo_event(void) { return kvo_this_thread.event; }
static inline void kvo_set_event(uint64_t event) { kvo_this_thread.event = event; }

/// Finds out the number of this thread, once.
uint64_t kvo_make_thread_number(void);
static inline uint64_t kvo_thread_number(void) {
    return kvo_this_thread.number != 0 ? kvo_this_thread.number : kvo_make_thread_number();
}

/// Where the stack of this thread ends now.
static inline uintptr_t kvo_stack_pointer(void) { return (uintptr_t)__builtin_frame_address(0); }
/// Finds out where the stack of this thread is nearly used up, once.
uintptr_t kvo_find_stack_limit(void);
/// Whether less than a quarter of this thread's stack is left, 256 KiB at most; false where that cannot be known.
static inline bool kvo_stack_is_nearly_full(void) {
    uintptr_t limit = kvo_this_thread.stack_limit;
    if (limit == 0) limit = kvo_find_stack_limit();
    return (uintptr_t)__builtin_frame_address(0) < limit;
}

// Functions of the Swift runtime. Few files of the engine call them, each of which has a form without them.

/// Retains an object that may be dying or dead, and returns it, or null if it is.
void *_Nullable swift_tryRetain(void *object);
/// Keeps the memory of an object, which ends nevertheless when nobody retains it.
void *swift_unownedRetain(void *object);
/// Takes back one `swift_unownedRetain`.
void swift_unownedRelease(void *object);

/// Stands in key paths for arguments that are nothing but the types of a generic context.
extern const char swift_keyPathGenericWitnessTable;
static inline uintptr_t kvo_generic_key_path_arguments(void) { return (uintptr_t)&swift_keyPathGenericWitnessTable; }

#if defined(__linux__) && defined(__clang__)
/// Says which executor an actor's code runs on: an object, or nothing, and what implements it.
typedef struct kvo_executor {
    uintptr_t identity;
    uintptr_t implementation;
} kvo_executor;

/// Whether the calling code runs on an executor, as far as the runtime knows without asking the executor.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(kvo_executor executor, uintptr_t flags);

static inline bool kvo_is_current_executor(kvo_executor executor) {
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

/// Whether the calling code runs on the main queue of libdispatch, which need not be served by the main thread.
bool kvo_is_on_main_queue(void);
#endif

/// What the Swift runtime keeps of an access while it lasts.
typedef struct kvo_access {
    uintptr_t words[3];
} kvo_access;

/// A record of no access.
static inline kvo_access kvo_no_access(void) {
    kvo_access access;
    access.words[0] = 0;
    access.words[1] = 0;
    return access;
}

// A record of no access has room for the address of a change, which has the access.
static inline void *_Nullable kvo_change(const kvo_access *access) {
    return access->words[1] == 0 ? (void *)access->words[0] : 0;
}
static inline void kvo_set_change(kvo_access *access, void *change) { access->words[0] = (uintptr_t)change; }

/// Begins an access, and traps if another one excludes it.
void swift_beginAccess(void *pointer, kvo_access *access, uintptr_t flags, void *_Nullable pc);
/// Ends an access.
void swift_endAccess(kvo_access *access);

/// Begins an access that changes what lies at `pointer`.
static inline void kvo_begin_modify(void *pointer, kvo_access *access) {
    enum { modify = 1, tracking = 0x20 };
    swift_beginAccess(pointer, access, modify | tracking, 0);
}

/// Traps if what lies at `pointer` is being changed.
static inline void kvo_check_read(void *pointer) {
    kvo_access access;
    swift_beginAccess(pointer, &access, 0, 0);
}

/// The demangled name of the Swift getter at an address, or of the getter whose method descriptor lies there; null if the
/// program's file does not tell. It is to be freed.
char *_Nullable kvo_getter_symbol(uintptr_t address);
void kvo_free(char *text);

/// Writes a line to standard error.
void kvo_write_error_line(const char *line);

#if !defined(_WIN32)
/// A pthread mutex, for the thread sanitizer, which does not understand the futex of `Synchronization.Mutex`.
void *kvo_mutex_create(void);
void kvo_mutex_destroy(void *mutex);
void kvo_mutex_lock(void *mutex);
void kvo_mutex_unlock(void *mutex);
#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
