#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include <stdint.h>

/* A VFS and an allocator for tests.
 *
 * The VFS makes operations on files fail, or records them. It becomes SQLite's default VFS. It
 * affects only the files in one folder at a time, so other tests of the process can use SQLite as
 * usual. The allocator affects the whole process. */

enum {
    FAULT_OPEN = 1,
    FAULT_READ = 2,
    FAULT_WRITE = 4,
    FAULT_SYNC = 8,
    FAULT_TRUNCATE = 16,
    FAULT_SIZE = 32,
    FAULT_LOCK = 64,
    FAULT_DELETE = 128,
    FAULT_SHM_MAP = 256,
    FAULT_SHM_LOCK = 512,
};

/* Installs the VFS. Later calls have no effect. */
void faults_install(void);

/* Makes operations on the files in a folder fail.
 *
 * kinds: the counted operations, a union of the constants above.
 * nth: the first operation to fail, from 1.
 * is_persistent: whether all later operations of these kinds fail as well.
 * code: the result code of failing writes, or 0 for SQLITE_IOERR_WRITE. */
void faults_start(const char *folder, unsigned kinds, int64_t nth, int is_persistent, int code);

/* Ends the faults, and returns the number of counted operations. */
int64_t faults_stop(void);

/* Returns the number of operations that have failed since faults_start. */
int64_t faults_failed(void);

/* Installs an allocator in which allocations can fail. Call this before SQLite is first used.
 *
 * Returns an SQLite result code. */
int allocations_install(void);

/* Makes SQLite's allocations fail.
 *
 * nth: the first allocation to fail, from 1.
 * is_persistent: whether all later allocations fail as well. */
void allocations_start(int64_t nth, int is_persistent);

/* Ends the failures, and returns the number of allocations that have failed. */
int64_t allocations_stop(void);

enum {
    RECORD_WRITE = 1,
    RECORD_TRUNCATE,
    RECORD_SYNC,
    RECORD_DELETE,
    RECORD_MARK,
};

/* A recorded operation. */
typedef struct {
    int kind;
    /* The name of the file in the folder. */
    const char *name;
    /* The offset of a write, the size of a truncation, or the number of a mark. */
    int64_t offset;
    const void *data;
    int64_t length;
    /* Whether a deletion includes a sync of the folder. */
    int is_durable;
} recorded_operation;

/* Starts recording the operations on the files in a folder. */
void recording_start(const char *folder);

/* Adds a mark, such as the number of a commit that has been acknowledged. */
void recording_mark(int64_t number);

/* Ends the recording, and returns the number of recorded operations. */
int64_t recording_stop(void);

/* Returns an operation, from 0. The pointers are valid until the next call of recording_start. */
recorded_operation recording_operation(int64_t index);

#endif
