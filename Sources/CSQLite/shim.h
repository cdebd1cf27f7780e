#ifndef POOLGAUGE_CSQLITE_SHIM_H
#define POOLGAUGE_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call C variadic functions: each form in use has a typed wrapper here.

/// sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled): process-wide, before first use only.
static inline int poolgauge_config_memstatus(int enabled) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled);
}

/// sqlite3_db_config(…) for the verbs that take (int, int *).
static inline int poolgauge_db_config(sqlite3 *db, int verb, int value, int *result) {
    return sqlite3_db_config(db, verb, value, result);
}

/// SQLITE_STATIC and SQLITE_TRANSIENT are casts, which do not import.
static inline sqlite3_destructor_type poolgauge_transient(void) { return SQLITE_TRANSIENT; }

#endif
