#include "internal.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/* A file, followed by the file of the original VFS. */
typedef struct {
    sqlite3_file base;
    /* The path, which SQLite keeps until the file is closed, or NULL for a temporary file. */
    const char *path;
} fault_file;

static sqlite3_vfs *original;
static sqlite3_vfs shim;

static sqlite3_file *real(sqlite3_file *file) {
    return (sqlite3_file *)((char *)file + sizeof(fault_file));
}

static const char *path_of(sqlite3_file *file) { return ((fault_file *)file)->path; }

#define FAIL_IF(file, kind, code) \
    if (fault_hits(path_of(file), kind)) return code

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset) {
    FAIL_IF(file, FAULT_READ, SQLITE_IOERR_READ);
    return real(file)->pMethods->xRead(real(file), buffer, amount, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int amount, sqlite3_int64 offset) {
    FAIL_IF(file, FAULT_WRITE, fault_write_code());
    record(path_of(file), RECORD_WRITE, offset, buffer, amount, 0);
    return real(file)->pMethods->xWrite(real(file), buffer, amount, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    FAIL_IF(file, FAULT_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    record(path_of(file), RECORD_TRUNCATE, size, NULL, 0, 0);
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    FAIL_IF(file, FAULT_SYNC, SQLITE_IOERR_FSYNC);
    int code = real(file)->pMethods->xSync(real(file), flags);
    record(path_of(file), RECORD_SYNC, 0, NULL, 0, 0);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL_IF(file, FAULT_SIZE, SQLITE_IOERR_FSTAT);
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    FAIL_IF(file, FAULT_LOCK, SQLITE_IOERR_LOCK);
    return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
    return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file) {
    /* A write can be torn. */
    return real(file)->pMethods->xDeviceCharacteristics(real(file))
        & ~(SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_BATCH_ATOMIC);
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **out) {
    FAIL_IF(file, FAULT_SHM_MAP, SQLITE_IOERR_SHMMAP);
    return real(file)->pMethods->xShmMap(real(file), page, size, extends, out);
}

static int file_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
    if (flags & SQLITE_SHM_LOCK) FAIL_IF(file, FAULT_SHM_LOCK, SQLITE_IOERR_SHMLOCK);
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
    real(file)->pMethods->xShmBarrier(real(file));
}

static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **out) {
    /* Without memory mapping, all reads are counted. */
    *out = NULL;
    return SQLITE_OK;
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) { return SQLITE_OK; }

static const sqlite3_io_methods methods = {
    3, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock,
    file_unlock, file_check_lock, file_control, file_sector_size, file_characteristics,
    file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, file_fetch, file_unfetch,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                    int *out) {
    file->pMethods = NULL;
    if (fault_hits(path, FAULT_OPEN)) return SQLITE_CANTOPEN;
    int code = original->xOpen(original, path, real(file), flags, out);
    if (real(file)->pMethods) {
        file->pMethods = &methods;
        ((fault_file *)file)->path = path;
    }
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    if (fault_hits(path, FAULT_DELETE)) return SQLITE_IOERR_DELETE;
    record(path, RECORD_DELETE, 0, NULL, 0, syncs_folder);
    return original->xDelete(original, path, syncs_folder);
}

static void install(void) {
    original = sqlite3_vfs_find(NULL);
    shim = *original;
    shim.zName = "faults";
    shim.szOsFile = (int)sizeof(fault_file) + original->szOsFile;
    shim.pNext = NULL;
    shim.xOpen = vfs_open;
    shim.xDelete = vfs_delete;
    sqlite3_vfs_register(&shim, 1);
}

void faults_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}
