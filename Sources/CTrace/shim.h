#ifndef POOLGAUGE_CTRACE_SHIM_H
#define POOLGAUGE_CTRACE_SHIM_H

// System calls that Swift's Glibc module lacks, because glibc declares them as extensions.
// Functions for system calls return -1 and set errno on failure, except poolgauge_unshare.

#if defined(__linux__)
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/// Calls memfd_create(2) with close-on-exec.
static inline int poolgauge_memfd(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1u);
}

/// Calls close_range(2) to close all descriptors from `first`.
static inline int poolgauge_close_from(unsigned first) {
    return (int)syscall(SYS_close_range, first, ~0u, 0u);
}

/// Permanently switches to another user and group. Root loses its capabilities.
static inline int poolgauge_become(unsigned user) {
    if (syscall(SYS_setgroups, (size_t)0, (void *)0) != 0) return -1;
    if (syscall(SYS_setresgid, user, user, user) != 0) return -1;
    return (int)syscall(SYS_setresuid, user, user, user);
}

/// Calls unshare(2) for each of the mount, IPC and network namespaces. Returns the number of calls
/// that succeeded.
static inline int poolgauge_unshare(void) {
    // CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWNET
    unsigned long flags[] = {0x20000ul, 0x8000000ul, 0x40000000ul};
    int count = 0;
    for (int i = 0; i < 3; i++) count += syscall(SYS_unshare, flags[i]) == 0;
    return count;
}

/// Calls kcmp(2) for two descriptors. Returns 0 if they refer to the same open file.
static inline int poolgauge_compare_files(int first, int second, int descriptor) {
    // KCMP_FILE
    return (int)syscall(SYS_kcmp, first, second, 0, (unsigned long)descriptor, (unsigned long)descriptor);
}

/// Calls prctl(2) with one argument.
static inline int poolgauge_prctl(int option, unsigned long value) {
    return (int)syscall(SYS_prctl, option, value, 0ul, 0ul, 0ul);
}

/// Calls process_vm_readv(2) for one range. Returns the number of bytes read.
static inline long poolgauge_read_memory(int process, unsigned long address, void *buffer, size_t count) {
    struct { void *base; size_t length; } local = {buffer, count}, remote = {(void *)address, count};
    return syscall(SYS_process_vm_readv, process, &local, 1ul, &remote, 1ul, 0ul);
}

/// Calls dlopen(3) so that the library's symbols take precedence over global symbols. Returns NULL
/// on failure.
static inline void *poolgauge_load(const char *path) {
    // RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND
    return dlopen(path, 2 | 0 | 8);
}

/// Opens a trace event for one thread and the threads that it creates, on one processor.
static inline int poolgauge_perf_open(unsigned long long event, int thread, int processor) {
    struct perf_event_attr attributes = {0};
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.size = sizeof attributes;
    attributes.config = event;
    attributes.sample_period = 1;
    attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
    attributes.inherit = 1;
    attributes.disabled = 1;
    attributes.watermark = 1;
    attributes.wakeup_watermark = 65536;
    attributes.use_clockid = 1;
    attributes.clockid = 1; // CLOCK_MONOTONIC
    return (int)syscall(SYS_perf_event_open, &attributes, thread, processor, -1, 8ul);
}

/// Enables or disables an event.
static inline int poolgauge_perf_enable(int event, int is_enabled) {
    return ioctl(event, is_enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/// Sends the records of an event to the buffer of another event.
static inline int poolgauge_perf_redirect(int event, int other) {
    return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, other);
}

/// Returns the end of the records that the kernel has written to a perf buffer.
static inline unsigned long long poolgauge_perf_head(const void *page) {
    return __atomic_load_n(&((const struct perf_event_mmap_page *)page)->data_head, __ATOMIC_ACQUIRE);
}

/// Returns the end of the records that have already been read from a perf buffer.
static inline unsigned long long poolgauge_perf_tail(const void *page) {
    return ((const struct perf_event_mmap_page *)page)->data_tail;
}

/// Releases the records that have been read from a perf buffer.
static inline void poolgauge_perf_release(void *page, unsigned long long tail) {
    __atomic_store_n(&((struct perf_event_mmap_page *)page)->data_tail, tail, __ATOMIC_RELEASE);
}
#endif

#endif
