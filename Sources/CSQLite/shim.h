#ifndef POOLGAUGE_CSQLITE_SHIM_H
#define POOLGAUGE_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call C variadic functions: each form in use has a typed wrapper here.

/// sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled): process-wide, before first use only.
static inline int poolgauge_config_memstatus(int enabled) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled);
}

/// sqlite3_config(SQLITE_CONFIG_LOG, log, context): process-wide, before first use only.
static inline int poolgauge_config_log(void (*log)(void *, int, const char *), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

/// sqlite3_db_config(…) for the verbs that take (int, int *).
static inline int poolgauge_db_config(sqlite3 *db, int verb, int value, int *result) {
    return sqlite3_db_config(db, verb, value, result);
}

/// Tells the processor that a loop waits for another one.
static inline void poolgauge_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/// SQLITE_TRANSIENT is a cast, which does not import.
static inline sqlite3_destructor_type poolgauge_transient(void) { return SQLITE_TRANSIENT; }

/// The first 32 KB of the wal-index, or NULL. Call it with the connection at hand, after a read in
/// WAL mode; the memory stays mapped until the connection closes or leaves WAL mode.
static inline const void *poolgauge_wal_index(sqlite3 *db) {
    sqlite3_file *file = 0;
    void volatile *region = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (!file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return 0;
    return (const void *)region;
}

/// The header of a wal-index (https://sqlite.org/walformat.html, section 2.1): it changes with
/// every commit of every process, and with nothing else.
typedef struct poolgauge_wal_header {
    unsigned long long words[6];
} poolgauge_wal_header;

/// Copies the header; answers 0 while a writer is between its two copies.
static inline int poolgauge_wal_header_read(const void *index, poolgauge_wal_header *header) {
    const unsigned long long *words = (const unsigned long long *)index;
    for (int i = 0; i < 6; i++) header->words[i] = __atomic_load_n(words + i, __ATOMIC_ACQUIRE);
    for (int i = 0; i < 6; i++) {
        if (__atomic_load_n(words + 6 + i, __ATOMIC_ACQUIRE) != header->words[i]) return 0;
    }
    return 1;
}

/// Whether both copies of the header are still what they were.
static inline int poolgauge_wal_header_is(const void *index, const poolgauge_wal_header *header) {
    const unsigned long long *words = (const unsigned long long *)index;
    for (int i = 0; i < 12; i++) {
        if (__atomic_load_n(words + i, __ATOMIC_ACQUIRE) != header->words[i % 6]) return 0;
    }
    return 1;
}

#endif
