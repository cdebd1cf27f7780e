// Pauses around reads, writes, syncs and locks of files.
#define _GNU_SOURCE
#include "nap.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t read(int descriptor, void *buffer, size_t count) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(read)(descriptor, buffer, count);
    nap_maybe(NAP_FILE);
    return result;
}

ssize_t write(int descriptor, const void *buffer, size_t count) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(write)(descriptor, buffer, count);
    nap_maybe(NAP_FILE);
    return result;
}

ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(pread)(descriptor, buffer, count, offset);
    nap_maybe(NAP_FILE);
    return result;
}

ssize_t pread64(int descriptor, void *buffer, size_t count, off64_t offset) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(pread64)(descriptor, buffer, count, offset);
    nap_maybe(NAP_FILE);
    return result;
}

ssize_t pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(pwrite)(descriptor, buffer, count, offset);
    nap_maybe(NAP_FILE);
    return result;
}

ssize_t pwrite64(int descriptor, const void *buffer, size_t count, off64_t offset) {
    nap_maybe(NAP_FILE);
    ssize_t result = NAP_NEXT(pwrite64)(descriptor, buffer, count, offset);
    nap_maybe(NAP_FILE);
    return result;
}

int fsync(int descriptor) {
    nap_maybe(NAP_FILE);
    int result = NAP_NEXT(fsync)(descriptor);
    nap_maybe(NAP_FILE);
    return result;
}

int fdatasync(int descriptor) {
    nap_maybe(NAP_FILE);
    int result = NAP_NEXT(fdatasync)(descriptor);
    nap_maybe(NAP_FILE);
    return result;
}

int ftruncate(int descriptor, off_t length) {
    nap_maybe(NAP_FILE);
    int result = NAP_NEXT(ftruncate)(descriptor, length);
    nap_maybe(NAP_FILE);
    return result;
}

int ftruncate64(int descriptor, off64_t length) {
    nap_maybe(NAP_FILE);
    int result = NAP_NEXT(ftruncate64)(descriptor, length);
    nap_maybe(NAP_FILE);
    return result;
}

/// Returns whether a command of fcntl acquires or releases a lock.
static int is_lock(int command) {
    switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: return 1;
    default: return 0;
    }
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (is_lock(command)) nap_maybe(NAP_FILE_LOCK);
    int result = NAP_NEXT(fcntl)(descriptor, command, argument);
    if (is_lock(command)) nap_maybe(NAP_FILE_LOCK);
    return result;
}

int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (is_lock(command)) nap_maybe(NAP_FILE_LOCK);
    int result = NAP_NEXT(fcntl64)(descriptor, command, argument);
    if (is_lock(command)) nap_maybe(NAP_FILE_LOCK);
    return result;
}
