/* What the memory orders of AddressMap and AddressTable guarantee: a reader that finds the same even version before and
 * after has read one state of the table, and one that is not older than the version.
 *
 * One thread replaces an entry in place, and others read it. Each location keeps all that was stored there. A thread may
 * read any of these stores that is not older than what it knows. A releasing store carries what its thread knows, and an
 * acquiring load takes that over. A relaxed store or load carries nothing.
 *
 * WORD_STORES, WORD_LOADS, LAST_VERSION_STORE and FIRST_VERSION_LOAD weaken one order each; a violation is then found.
 */

#define VERSION 0
#define ADDRESS 1
#define VALUE 2
#define LOCATIONS 3
#define MOST 3

/* How many stores each location has, what was stored, and what came along. */
byte stores[LOCATIONS];
byte stored[9];
byte along[27];

#define AT(location, index) ((location) * MOST + (index))
#define ALONG(location, index, other) (AT(location, index) * LOCATIONS + (other))

inline store(location, value, isReleasing) {
    atomic {
        index = stores[location];
        stored[AT(location, index)] = value;
        known[location] = index;
        other = 0;
        do
        :: other < LOCATIONS ->
            if
            :: isReleasing || other == location -> along[ALONG(location, index, other)] = known[other]
            :: else -> along[ALONG(location, index, other)] = 0
            fi;
            other++
        :: else -> break
        od;
        stores[location]++
    }
}

inline load(location, isAcquiring, result) {
    atomic {
        index = known[location];
        do
        :: index + 1 < stores[location] -> index++
        :: break
        od;
        known[location] = index;
        other = 0;
        do
        :: isAcquiring && other < LOCATIONS ->
            if
            :: along[ALONG(location, index, other)] > known[other] -> known[other] = along[ALONG(location, index, other)]
            :: else
            fi;
            other++
        :: else -> break
        od;
        result = stored[AT(location, index)]
    }
}

#ifndef WORD_STORES
#define WORD_STORES 1
#endif
#ifndef WORD_LOADS
#define WORD_LOADS 1
#endif
#ifndef LAST_VERSION_STORE
#define LAST_VERSION_STORE 1
#endif
#ifndef FIRST_VERSION_LOAD
#define FIRST_VERSION_LOAD 1
#endif

/* AddressMap.change, with AddressTable.set inside. */
proctype Writer() {
    byte known[LOCATIONS];
    byte index, other;
    store(VERSION, 1, 0);
    store(ADDRESS, 2, WORD_STORES);
    store(VALUE, 20, WORD_STORES);
    store(VERSION, 2, LAST_VERSION_STORE)
}

/* AddressMap.value(at:), without the lock. */
proctype Reader() {
    byte known[LOCATIONS];
    byte index, other, before, address, value, after;
    load(VERSION, FIRST_VERSION_LOAD, before);
    load(ADDRESS, WORD_LOADS, address);
    load(VALUE, WORD_LOADS, value);
    load(VERSION, 1, after);
    if
    :: before % 2 == 0 && after == before ->
        assert(value == address * 10);
        assert(before == 0 || address == 2)
    :: else
    fi
}

init {
    atomic {
        stored[AT(ADDRESS, 0)] = 1;
        stored[AT(VALUE, 0)] = 10;
        stores[VERSION] = 1;
        stores[ADDRESS] = 1;
        stores[VALUE] = 1;
        run Writer();
        run Reader();
        run Reader()
    }
}
