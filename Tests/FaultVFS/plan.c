#include "internal.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/* The faults to cause. The mutex protects all variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[1024];
static unsigned counted_kinds;
static int64_t first_failure;
static int persists;
static int write_code;
static int64_t count;
static int64_t failed;

void faults_start(const char *path, unsigned kinds, int64_t nth, int is_persistent, int code) {
    pthread_mutex_lock(&mutex);
    strncpy(folder, path, sizeof folder - 1);
    counted_kinds = kinds;
    first_failure = nth;
    persists = is_persistent;
    write_code = code ? code : SQLITE_IOERR_WRITE;
    count = 0;
    failed = 0;
    pthread_mutex_unlock(&mutex);
}

int64_t faults_stop(void) {
    pthread_mutex_lock(&mutex);
    counted_kinds = 0;
    int64_t result = count;
    pthread_mutex_unlock(&mutex);
    return result;
}

int64_t faults_failed(void) {
    pthread_mutex_lock(&mutex);
    int64_t result = failed;
    pthread_mutex_unlock(&mutex);
    return result;
}

int fault_hits(const char *path, unsigned kind) {
    pthread_mutex_lock(&mutex);
    int hits = 0;
    if (path && (counted_kinds & kind) && strncmp(path, folder, strlen(folder)) == 0) {
        count++;
        hits = persists ? count >= first_failure : count == first_failure;
        failed += hits;
    }
    pthread_mutex_unlock(&mutex);
    return hits;
}

int fault_write_code(void) {
    pthread_mutex_lock(&mutex);
    int result = write_code;
    pthread_mutex_unlock(&mutex);
    return result;
}
