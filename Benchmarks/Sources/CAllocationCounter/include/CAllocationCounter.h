// Counts what the program allocates.
#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations can be counted here. Where they cannot, all counts stay 0.
extern const bool allocation_counter_works;

/// Sets the counts to 0 and begins to count, on all threads.
void allocation_counter_start(void);

/// Ends counting; the counts stay.
void allocation_counter_stop(void);

/// How many blocks were allocated while counting.
int64_t allocation_counter_blocks(void);

/// Bytes allocated less bytes freed while counting, with what the allocator adds to each block.
int64_t allocation_counter_live_bytes(void);

#endif
