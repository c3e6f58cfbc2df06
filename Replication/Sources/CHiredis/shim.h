// hiredis, the C client of Redis, where pkg-config finds it.
#include <hiredis.h>
