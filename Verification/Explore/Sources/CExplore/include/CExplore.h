// What Swift cannot see of the C library.
#ifndef CEXPLORE_H
#define CEXPLORE_H

#include <stddef.h>

/// How many bytes are allocated; 0 where the C library does not say.
size_t explore_allocated_bytes(void);

#endif
