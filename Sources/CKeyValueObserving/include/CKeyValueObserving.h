// What Swift cannot spell: variables of a thread, the room left on its stack, objects of a size known at run time,
// accesses that are made exclusive by hand, standard error, and the lock of the sanitizer builds.
#ifndef CKEYVALUEOBSERVING_H
#define CKEYVALUEOBSERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In an executable the linker turns either model into one instruction; initial-exec keeps it one load in a
// shared library too.
#if defined(__ELF__)
#define KVO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define KVO_THREAD_LOCAL _Thread_local
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// The evaluation that wants to know what is read on this thread, or null.
extern KVO_THREAD_LOCAL void *_Nullable kvo_thread_recording;
/// The innermost delivery under way on this thread, or null.
extern KVO_THREAD_LOCAL void *_Nullable kvo_thread_delivery;
/// The object that lists the changes between will and did of this thread, or null if it never needed one.
extern KVO_THREAD_LOCAL void *_Nullable kvo_thread_open_changes;
/// The change of this thread between will and did that its list does not have yet, or null.
extern KVO_THREAD_LOCAL void *_Nullable kvo_thread_unlisted;
/// Whether this thread is asking a class for its facts.
extern KVO_THREAD_LOCAL bool kvo_thread_asks_class;

static inline void *_Nullable kvo_recording(void) { return kvo_thread_recording; }
static inline void kvo_set_recording(void *_Nullable recording) { kvo_thread_recording = recording; }

static inline void *_Nullable kvo_delivery(void) { return kvo_thread_delivery; }
static inline void kvo_set_delivery(void *_Nullable delivery) { kvo_thread_delivery = delivery; }

static inline void *_Nullable kvo_unlisted(void) { return kvo_thread_unlisted; }
static inline void kvo_set_unlisted(void *_Nullable change) { kvo_thread_unlisted = change; }

static inline void *_Nullable kvo_open_changes(void) { return kvo_thread_open_changes; }
/// Sets the list of this thread, a retained Swift object, which is released when the thread ends.
void kvo_keep_open_changes(void *changes);

static inline bool kvo_asks_class(void) { return kvo_thread_asks_class; }
static inline void kvo_set_asks_class(bool asks) { kvo_thread_asks_class = asks; }

/// How far the stack has grown, in bytes from the end of memory; every platform's stack grows downwards.
static inline uintptr_t kvo_stack_depth(void) { return UINTPTR_MAX - (uintptr_t)__builtin_frame_address(0); }

/// Whether less than a quarter of this thread's stack is left; false where that cannot be told.
bool kvo_stack_nears_its_end(void);

/// The Swift runtime's: an object of the class with this metadata, whose fields are still to be filled in.
void *swift_allocObject(void *metadata, size_t size, size_t alignment_mask);
/// The Swift runtime's: retains an object that may be dying or dead, and gives it, or null if it is.
void *_Nullable swift_tryRetain(void *object);
/// The Swift runtime's: whether the `deinit` of an object has begun.
bool swift_isDeallocating(void *object);
/// The Swift runtime's: gives up a reference.
void swift_release(void *_Nullable object);

/// What the Swift runtime needs to remember of an access while it lasts, where it must stay.
typedef struct kvo_access {
    uintptr_t words[3];
} kvo_access;

/// A record of no access.
static inline kvo_access kvo_no_access(void) {
    kvo_access access;
    access.words[1] = 0;
    return access;
}

/// The Swift runtime's: begins an access, and traps if another one excludes it.
void swift_beginAccess(void *pointer, kvo_access *access, uintptr_t flags, void *_Nullable pc);
/// The Swift runtime's: ends an access.
void swift_endAccess(kvo_access *access);

/// Begins an access that changes what lies at `pointer`.
static inline void kvo_begin_modify(void *pointer, kvo_access *access) {
    enum { modify = 1, tracking = 0x20 };
    swift_beginAccess(pointer, access, modify | tracking, 0);
}

/// Where a thread notes what it is changing in place.
typedef struct kvo_marker {
    /// The address of that, or 0.
    _Atomic(uintptr_t) address;
} kvo_marker;
/// The marker of threads that have none of their own; it is never changed.
extern kvo_marker kvo_no_marker;
extern KVO_THREAD_LOCAL kvo_marker *kvo_thread_marker;

/// What this thread has marked, or 0.
static inline uintptr_t kvo_marked(void) {
    return __c11_atomic_load(&kvo_thread_marker->address, __ATOMIC_RELAXED);
}

/// Marks what lies at an address; gives the address of the marker, or 0 if the thread has none or it is taken.
static inline uintptr_t kvo_mark(uintptr_t address) {
    kvo_marker *marker = kvo_thread_marker;
    if (marker == &kvo_no_marker || __c11_atomic_load(&marker->address, __ATOMIC_RELAXED) != 0) return 0;
    __c11_atomic_store(&marker->address, address, __ATOMIC_RELAXED);
    return (uintptr_t)marker;
}

/// Takes back what `kvo_mark` did, on any thread.
static inline void kvo_unmark(uintptr_t marker) {
    __c11_atomic_store(&((kvo_marker *)marker)->address, 0, __ATOMIC_RELAXED);
}

/// Gives this thread a marker, if it has none.
void kvo_make_marker(void);

/// Traps if what lies at `pointer` is being changed.
static inline void kvo_check_read(void *pointer) {
    kvo_access access;
    swift_beginAccess(pointer, &access, 0, 0);
}

enum { kvo_known_offsets_count = 512 };
/// How far from the start of an object storage lies, by the address of the function that makes its key path: in each
/// word the address and below it 16 bits of offset.
///
/// Two functions may want the same word; then the one that came last has it.
extern _Atomic(uint64_t) kvo_known_offsets[kvo_known_offsets_count];

static inline _Atomic(uint64_t) *kvo_known_offset_place(uint64_t function) {
    return &kvo_known_offsets[(function >> 4) % kvo_known_offsets_count];
}

/// Addresses that are never those of code: they stand for accesses that the runtime does not know.
static inline uintptr_t kvo_changing_access(void) { return (uintptr_t)&kvo_known_offsets[0]; }
static inline uintptr_t kvo_marked_access(void) { return (uintptr_t)&kvo_known_offsets[1]; }

/// The offset that was noted for a function, or 0.
static inline uintptr_t kvo_known_offset(uintptr_t function) {
    uint64_t known = __c11_atomic_load(kvo_known_offset_place(function), __ATOMIC_RELAXED);
    return known >> 16 == function ? known & 0xFFFF : 0;
}

/// Notes the offset for a function, if both fit into a word.
static inline void kvo_note_offset(uintptr_t function, uintptr_t offset) {
    uint64_t known = (uint64_t)function << 16 | offset;
    if (offset > 0xFFFF || known >> 16 != function) return;
    __c11_atomic_store(kvo_known_offset_place(function), known, __ATOMIC_RELAXED);
}

/// Writes a line to standard error.
void kvo_write_error_line(const char *line);

/// A number that no other living thread has.
static inline uintptr_t kvo_thread_id(void) { return (uintptr_t)&kvo_thread_asks_class; }

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
