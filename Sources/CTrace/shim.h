#ifndef POOLGAUGE_CTRACE_SHIM_H
#define POOLGAUGE_CTRACE_SHIM_H

// System calls that Swift's Glibc module lacks, because glibc declares them as extensions.
// Functions for system calls return -1 and set errno on failure, except poolgauge_unshare.

#if defined(__linux__)
#include <dlfcn.h>
#include <errno.h>
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

/// Calls bpf(2).
static inline int poolgauge_bpf(int command, void *attributes, unsigned size) {
    return (int)syscall(SYS_bpf, command, attributes, size);
}

/// Runs a BPF program at an instruction of a file, in the process of one thread. Returns the event.
///
/// Never sets `inherit`: fork and pthread_create in the process would fail.
static inline int poolgauge_uprobe_open(
    unsigned type, const char *path, unsigned long long offset, int thread, int is_return, int program) {
    struct perf_event_attr attributes = {0};
    attributes.type = type;
    attributes.size = sizeof attributes;
    attributes.config = (unsigned)is_return;
    attributes.uprobe_path = (unsigned long long)path;
    attributes.probe_offset = offset;
    int event = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, 8ul);
    if (event < 0) return -1;
    if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) == 0) return event;
    int error = errno;
    close(event);
    errno = error;
    return -1;
}

/// Opens a descriptor that is readable when the process has ended.
static inline int poolgauge_process_descriptor(int process) {
    return (int)syscall(434, process, 0u);
}

/// Returns the value of a 32-bit or 64-bit word that the kernel writes at the same time.
static inline unsigned poolgauge_load32(const void *word) {
    return __atomic_load_n((const unsigned *)word, __ATOMIC_ACQUIRE);
}
static inline unsigned long long poolgauge_load64(const void *word) {
    return __atomic_load_n((const unsigned long long *)word, __ATOMIC_ACQUIRE);
}

/// Sets a word that the kernel reads at the same time.
static inline void poolgauge_store64(void *word, unsigned long long value) {
    __atomic_store_n((unsigned long long *)word, value, __ATOMIC_RELEASE);
}

/// Opens a descriptor that reports the processes that open marked files. 0x200 is FAN_REPORT_FID,
/// without which each report opens the file.
static inline int poolgauge_fanotify(void) {
    // FAN_CLOEXEC, FAN_NONBLOCK, FAN_CLASS_NOTIF
    return (int)syscall(SYS_fanotify_init, 0x1u | 0x2u | 0x200u, O_RDONLY | O_CLOEXEC);
}
static inline int poolgauge_fanotify_open(int descriptor, const char *path) {
    // FAN_MARK_ADD, FAN_OPEN
    return (int)syscall(SYS_fanotify_mark, descriptor, 1u, 0x20ull, AT_FDCWD, path);
}
#endif

#endif
