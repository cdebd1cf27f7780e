#include "internal.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/* The plan of failures. The mutex protects all variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_active;
static int64_t first_failure;
static int persists;
static int64_t count;
static int64_t failed;

static sqlite3_mem_methods original;

static int must_fail(void) {
    pthread_mutex_lock(&mutex);
    int fails = 0;
    if (is_active) {
        count++;
        fails = persists ? count >= first_failure : count == first_failure;
        failed += fails;
    }
    pthread_mutex_unlock(&mutex);
    return fails;
}

static void *allocate(int size) { return must_fail() ? NULL : original.xMalloc(size); }

static void *reallocate(void *memory, int size) {
    return must_fail() ? NULL : original.xRealloc(memory, size);
}

int allocations_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &original);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = original;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void allocations_start(int64_t nth, int is_persistent) {
    pthread_mutex_lock(&mutex);
    is_active = 1;
    first_failure = nth;
    persists = is_persistent;
    count = 0;
    failed = 0;
    pthread_mutex_unlock(&mutex);
}

int64_t allocations_stop(void) {
    pthread_mutex_lock(&mutex);
    is_active = 0;
    int64_t result = failed;
    pthread_mutex_unlock(&mutex);
    return result;
}
