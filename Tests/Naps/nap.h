// Random pauses at the points where threads interact. See README.md.
#ifndef NAP_H
#define NAP_H

#include <stddef.h>

/// The kinds of points at which a thread may pause. Each kind has its own rate, because some points
/// are thousands of times as frequent as others.
enum nap_point {
    NAP_MUTEX,      // before and after pthread_mutex_lock and pthread_mutex_unlock
    NAP_CLOCK,      // after clock_gettime, before the caller uses the time
    NAP_WAKE,       // condition variables, semaphores, futexes
    NAP_FILE,       // reads, writes and syncs
    NAP_FILE_LOCK,  // fcntl that acquires or releases a lock
    NAP_DISPATCH,   // dispatch queues
    NAP_THREAD,     // creation and start of threads, sched_yield
    NAP_POINT_COUNT
};

/// Pauses the thread occasionally. Preserves errno. A signal handler may call this function.
void nap_maybe(enum nap_point point);

/// Returns the function that a hook replaces. `version` is the version of the symbol, or NULL for
/// the default.
void *nap_next(const char *name, const char *version);

/// The function `name` that a hook replaces. It is looked up once.
#define NAP_NEXT_VERSION(name, version)                                            \
    ({                                                                             \
        static __typeof__(&name) next;                                             \
        __typeof__(&name) function = __atomic_load_n(&next, __ATOMIC_ACQUIRE);     \
        if (!function) {                                                           \
            function = (__typeof__(&name))nap_next(#name, version);                \
            __atomic_store_n(&next, function, __ATOMIC_RELEASE);                   \
        }                                                                          \
        function;                                                                  \
    })
#define NAP_NEXT(name) NAP_NEXT_VERSION(name, NULL)

#endif
