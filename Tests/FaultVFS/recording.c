#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The recorded operations. The mutex protects all variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[1024];
static int is_recording;
static recorded_operation *operations;
static int64_t count;
static int64_t capacity;

void recording_start(const char *path) {
    pthread_mutex_lock(&mutex);
    for (int64_t i = 0; i < count; i++) {
        free((void *)operations[i].name);
        free((void *)operations[i].data);
    }
    count = 0;
    strncpy(folder, path, sizeof folder - 1);
    is_recording = 1;
    pthread_mutex_unlock(&mutex);
}

int64_t recording_stop(void) {
    pthread_mutex_lock(&mutex);
    is_recording = 0;
    int64_t result = count;
    pthread_mutex_unlock(&mutex);
    return result;
}

recorded_operation recording_operation(int64_t index) {
    pthread_mutex_lock(&mutex);
    recorded_operation result = operations[index];
    pthread_mutex_unlock(&mutex);
    return result;
}

/* Adds an operation. The caller holds the mutex. */
static void add(const char *name, int kind, int64_t offset, const void *data, int64_t length,
                int is_durable) {
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 1024;
        operations = realloc(operations, capacity * sizeof *operations);
        if (!operations) abort();
    }
    void *copy = NULL;
    if (data) {
        copy = malloc(length);
        if (!copy) abort();
        memcpy(copy, data, length);
    }
    operations[count++] =
        (recorded_operation){kind, strdup(name), offset, copy, length, is_durable};
}

void recording_mark(int64_t number) {
    pthread_mutex_lock(&mutex);
    if (is_recording) add("", RECORD_MARK, number, NULL, 0, 0);
    pthread_mutex_unlock(&mutex);
}

void record(const char *path, int kind, int64_t offset, const void *data, int64_t length,
            int is_durable) {
    pthread_mutex_lock(&mutex);
    if (is_recording && path && strncmp(path, folder, strlen(folder)) == 0) {
        const char *name = strrchr(path, '/');
        add(name ? name + 1 : path, kind, offset, data, length, is_durable);
    }
    pthread_mutex_unlock(&mutex);
}
