#ifndef POOLGAUGE_CSQLITE_SHIM_H
#define POOLGAUGE_CSQLITE_SHIM_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <sqlite3.h>
#include <sys/mman.h>
#if defined(__APPLE__)
#include <mach/mach.h>
#elif defined(__linux__)
#include <sys/vfs.h>
#endif

// Swift cannot call variadic C functions, so each form that Swift code uses has a typed wrapper
// here.

/// Calls sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled). The setting applies to the whole
/// process. Call this before SQLite is first used.
static inline int poolgauge_config_memstatus(int enabled) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled);
}

/// Calls sqlite3_config(SQLITE_CONFIG_LOG, log, context). The setting applies to the whole process.
/// Call this before SQLite is first used.
static inline int poolgauge_config_log(void (*log)(void *, int, const char *), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

/// Calls sqlite3_db_config(…) for the verbs that take (int, int *).
static inline int poolgauge_db_config(sqlite3 *db, int verb, int value, int *result) {
    return sqlite3_db_config(db, verb, value, result);
}

/// Signals to the processor that the caller is in a spin loop.
static inline void poolgauge_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

#if !defined(__APPLE__)
/// The engine's state of the calling thread, or NULL. Reading a thread-local variable takes two
/// instructions; pthread_getspecific takes about forty. Swift has no thread-local variables, and
/// each object file that uses this one defines it, so the definitions are weak.
__attribute__((weak, visibility("hidden"))) _Thread_local void *poolgauge_thread_state = 0;

static inline void *poolgauge_thread_state_get(void) { return poolgauge_thread_state; }

static inline void poolgauge_thread_state_set(void *state) { poolgauge_thread_state = state; }
#endif

/// Returns the processor's time-stamp counter, or 0 if the engine does not use the counter of this
/// processor.
static inline unsigned long long poolgauge_ticks(void) {
#if defined(__linux__) && defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/// Returns SQLITE_TRANSIENT, a cast that Swift cannot import.
static inline sqlite3_destructor_type poolgauge_transient(void) { return SQLITE_TRANSIENT; }

/// Returns whether the connection has attached databases. Database 0 is main, and database 1 is
/// temp.
static inline int poolgauge_has_attached(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3039000
    return sqlite3_db_name(db, 2) != 0;
#else
    sqlite3_stmt *list = 0;
    int has_attached = 1;
    if (sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &list, 0) == SQLITE_OK) {
        has_attached = 0;
        while (sqlite3_step(list) == SQLITE_ROW) has_attached |= sqlite3_column_int(list, 0) > 1;
    }
    sqlite3_finalize(list);
    return has_attached;
#endif
}

/// The size of a wal-index's headers and read marks, in bytes. They fit in one page.
enum { POOLGAUGE_WAL_INDEX_SIZE = 136 };

/// Returns the file of the open write-ahead log, or of the rollback journal if no log is open. A
/// different pointer means that the log was reopened.
static inline const void *poolgauge_journal_file(sqlite3 *db) {
    sqlite3_file *file = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return 0;
    return file;
}

/// Returns SQLite's mapping of the wal-index, or NULL. Call this after a read in WAL mode, while
/// you hold the connection. The memory stays mapped until the connection closes or leaves WAL mode.
static inline const void *poolgauge_wal_index(sqlite3 *db) {
    sqlite3_file *file = 0;
    void volatile *region = 0;
    int lock = -1;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_LOCKSTATE, &lock) != SQLITE_OK) return 0;
    // 1 is SHARED, the lock that each connection in WAL mode holds. In exclusive locking mode (4),
    // the wal-index may be private memory. xShmMap would then open a -shm file that is never
    // closed.
    if (lock != 1) return 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (!file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return 0;
    return (const void *)region;
}

/// Creates a separate mapping of a wal-index's first page for the caller, or returns NULL if the
/// system does not support this. The mapping stays valid when SQLite removes its mapping. No file
/// is opened or closed, because closing a file would release the process's locks on it.
static inline const void *poolgauge_wal_index_map(const void *region) {
    if (!region) return 0;
#if defined(POOLGAUGE_VALGRIND)
    // Valgrind does not support the call below. Use this only to count instructions.
    return region;
#endif
#if defined(__linux__)
    // With an old size of 0, mremap duplicates a shared mapping (mremap(2)).
    void *copy = mremap((void *)region, 0, POOLGAUGE_WAL_INDEX_SIZE, MREMAP_MAYMOVE);
    return copy == MAP_FAILED ? 0 : copy;
#elif defined(__APPLE__)
    vm_address_t copy = 0;
    vm_prot_t current, maximum;
    kern_return_t code = vm_remap(
        mach_task_self(), &copy, POOLGAUGE_WAL_INDEX_SIZE, 0, VM_FLAGS_ANYWHERE, mach_task_self(),
        (vm_address_t)region, 0, &current, &maximum, VM_INHERIT_NONE);
    return code == KERN_SUCCESS ? (const void *)copy : 0;
#else
    return 0;
#endif
}

/// Removes a mapping that poolgauge_wal_index_map() created.
static inline void poolgauge_wal_index_unmap(const void *copy) {
#if !defined(POOLGAUGE_VALGRIND)
    munmap((void *)copy, POOLGAUGE_WAL_INDEX_SIZE);
#endif
}

/// The header of a wal-index (https://sqlite.org/walformat.html, section 2.1). It changes with each
/// commit, reset and recovery of the log.
typedef struct poolgauge_wal_header {
    unsigned long long words[6];
} poolgauge_wal_header;

/// Copies the header, or returns 0 while a writer is updating the two copies in the wal-index.
static inline int poolgauge_wal_header_read(const void *index, poolgauge_wal_header *header) {
    const unsigned long long *words = (const unsigned long long *)index;
    for (int i = 0; i < 6; i++) header->words[i] = __atomic_load_n(words + i, __ATOMIC_ACQUIRE);
    for (int i = 0; i < 6; i++) {
        if (__atomic_load_n(words + 6 + i, __ATOMIC_ACQUIRE) != header->words[i]) return 0;
    }
    return 1;
}

/// Returns the number of log frames that are in the database file (nBackfill).
static inline unsigned poolgauge_wal_backfill(const void *index) {
    return __atomic_load_n((const unsigned *)index + 24, __ATOMIC_RELAXED);
}

/// Returns the number of valid frames according to a header (mxFrame).
static inline unsigned poolgauge_wal_frames(poolgauge_wal_header header) {
    return (unsigned)header.words[2];
}

/// Returns a number that changes with each reset of the log (the first salt).
static inline unsigned poolgauge_wal_generation(poolgauge_wal_header header) {
    return (unsigned)header.words[4];
}

/// Returns whether `header` describes the last commit. A writer publishes a commit by updating the
/// second copy of the header in the wal-index and then the first. If the first copy is unchanged, no
/// commit has ended, so there is no need to compare the second.
static inline int poolgauge_wal_header_is(const void *index, poolgauge_wal_header header) {
    const unsigned long long *words = (const unsigned long long *)index;
    unsigned long long difference = 0;
    for (int i = 0; i < 6; i++) {
        difference |= __atomic_load_n(words + i, __ATOMIC_ACQUIRE) ^ header.words[i];
    }
    return difference == 0;
}

#endif
