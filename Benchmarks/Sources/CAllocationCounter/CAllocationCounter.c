// The functions of the allocator, in front of glibc's: they count while they are told to.
#include "CAllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool counting;
static _Atomic int64_t blocks;
static _Atomic int64_t live_bytes;

void allocation_counter_start(void) {
    atomic_store(&blocks, 0);
    atomic_store(&live_bytes, 0);
    atomic_store(&counting, true);
}

void allocation_counter_stop(void) { atomic_store(&counting, false); }

int64_t allocation_counter_blocks(void) { return atomic_load(&blocks); }

int64_t allocation_counter_live_bytes(void) { return atomic_load(&live_bytes); }

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>

const bool allocation_counter_works = true;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

// While nothing is counted a call costs one load and one branch more, so that times stay what they are.
#define IS_COUNTING __builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), 0)

// glibc keeps one word beside each block.
static int64_t size_of(void *block) { return (int64_t)(malloc_usable_size(block) + sizeof(size_t)); }

static void *counted(void *block) {
    if (block) {
        atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&live_bytes, size_of(block), memory_order_relaxed);
    }
    return block;
}

static void leaves(void *block) {
    if (block) atomic_fetch_sub_explicit(&live_bytes, size_of(block), memory_order_relaxed);
}

// A function of its own, so that `malloc` only jumps while nothing is counted.
__attribute__((noinline, cold)) static void *counted_malloc(size_t size) { return counted(__libc_malloc(size)); }

void *malloc(size_t size) {
    if (!IS_COUNTING) return __libc_malloc(size);
    return counted_malloc(size);
}

void *calloc(size_t count, size_t size) {
    void *block = __libc_calloc(count, size);
    return IS_COUNTING ? counted(block) : block;
}

void *realloc(void *block, size_t size) {
    if (!IS_COUNTING) return __libc_realloc(block, size);
    int64_t before = block ? size_of(block) : 0;
    void *moved = __libc_realloc(block, size);
    if (moved || size == 0) atomic_fetch_sub_explicit(&live_bytes, before, memory_order_relaxed);
    return counted(moved);
}

void *memalign(size_t alignment, size_t size) {
    void *block = __libc_memalign(alignment, size);
    return IS_COUNTING ? counted(block) : block;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *place = block;
    return 0;
}

void free(void *block) {
    if (IS_COUNTING) leaves(block);
    __libc_free(block);
}

#else

const bool allocation_counter_works = false;

#endif
