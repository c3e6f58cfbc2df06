/* What the memory orders of RecipientsLoan guarantee: whoever borrows recipients sees them complete, and whoever releases
 * them comes after all use of them.
 *
 * What a thread knows is a set of events: that the recipients were completed, and each use of them. A releasing store
 * carries what its thread knows, and an acquiring one takes over what came along. The preceding relaxed load of the word
 * only chooses what to expect; the compare-and-exchange decides.
 *
 * ACQUIRING and RELEASING weaken the exchanges, KEEPING the store of `keep`; a violation is then found.
 */

#define EMPTY 0
#define KEPT 1
#define LENT 2
#define OVERDUE 3

#define COMPLETED 1

#ifndef ACQUIRING
#define ACQUIRING 1
#endif
#ifndef RELEASING
#define RELEASING 1
#endif
#ifndef KEEPING
#define KEEPING 1
#endif

byte word = EMPTY;
/* What came along with the word, and with the lock of the table. */
byte along = 0;
byte alongLock = 0;
bool isLocked = false;

/* The uses that there were. */
byte used = 0;
bool isReleased = false;
bool isKept = false;

inline exchange(expected, desired, isExchanged) {
    atomic {
        if
        :: word == expected ->
            word = desired;
            if
            :: ACQUIRING -> known = known | along
            :: else
            fi;
            if
            :: RELEASING -> along = along | known
            :: else
            fi;
            isExchanged = true
        :: else -> isExchanged = false
        fi
    }
}

inline use(mark) {
    assert(!isReleased);
    assert(known & COMPLETED);
    used = used | mark;
    known = known | mark
}

inline release() {
    /* Every use is known, so it came before. */
    assert((used & ~known) == 0);
    assert(!isReleased);
    isReleased = true
}

inline lock() {
    atomic { !isLocked -> isLocked = true; known = known | alongLock }
}

inline unlock() {
    atomic { isLocked = false; alongLock = alongLock | known }
}

/* `keep`, by whoever found the recipients. */
proctype Keeper() {
    byte known = 0;
    known = known | COMPLETED;
    lock();
    atomic {
        if
        :: word == EMPTY ->
            word = KEPT;
            if
            :: KEEPING -> along = known
            :: else -> along = 0
            fi;
            isKept = true
        :: else
        fi
    }
    unlock()
}

/* `borrow`, a use, `giveBack`; twice. */
proctype Borrower(byte mark) {
    byte known = 0;
    byte seen;
    byte turns = 0;
    bool isExchanged;
    do
    :: turns < 2 ->
        turns++;
        seen = word;
        if
        :: seen == KEPT ->
            exchange(KEPT, LENT, isExchanged);
            if
            :: isExchanged ->
                use(mark);
                exchange(LENT, KEPT, isExchanged);
                if
                :: isExchanged
                :: else ->
                    exchange(OVERDUE, EMPTY, isExchanged);
                    assert(isExchanged);
                    release()
                fi
            :: else
            fi
        :: else
        fi
    :: else -> break
    od
}

/* `recall`, by whoever adds or removes a registration. */
proctype Recaller() {
    byte known = 0;
    byte seen;
    bool isExchanged = false;
    bool hasRecipients = false;
    lock();
    do
    :: seen = word;
        if
        :: seen == EMPTY || seen == OVERDUE -> break
        :: seen == KEPT ->
            exchange(KEPT, EMPTY, isExchanged);
            if
            :: isExchanged -> hasRecipients = true; break
            :: else
            fi
        :: seen == LENT ->
            exchange(LENT, OVERDUE, isExchanged);
            if
            :: isExchanged -> break
            :: else
            fi
        fi
    od;
    unlock();
    if
    :: hasRecipients -> release()
    :: else
    fi
}

init {
    atomic {
        run Keeper();
        run Borrower(2);
        run Borrower(4);
        run Recaller()
    }
}
