#ifndef FAULT_VFS_INTERNAL_H
#define FAULT_VFS_INTERNAL_H

#include "FaultVFS.h"

/* Returns whether an operation on a path must fail, and counts it. */
int fault_hits(const char *path, unsigned kind);

/* The result code of failing writes. */
int fault_write_code(void);

/* Records an operation on a path, if the path is in the recorded folder. */
void record(const char *path, int kind, int64_t offset, const void *data, int64_t length,
            int is_durable);

#endif
