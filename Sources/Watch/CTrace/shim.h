#ifndef POOLGAUGE_CTRACE_SHIM_H
#define POOLGAUGE_CTRACE_SHIM_H

// System calls that Swift's Glibc module lacks, because glibc declares them as extensions.
// Functions for system calls return -1 and set errno on failure, except poolgauge_unshare.

#if defined(__linux__)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#include "../CTraceAgent/include/CTraceAgent.h"

/// Calls memfd_create(2) with close-on-exec. The size of the file can be sealed.
static inline int poolgauge_sealable_memfd(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1u | 2u);
}

/// Calls memfd_create(2) with close-on-exec. The file may be executed.
static inline int poolgauge_memfd(const char *name) {
    // MFD_EXEC, which kernels before 6.3 reject and do not need
    int file = (int)syscall(SYS_memfd_create, name, 1u | 0x10u);
    return file >= 0 ? file : (int)syscall(SYS_memfd_create, name, 1u);
}

/// Returns whether a program has capabilities of its own (capabilities(7)).
static inline int poolgauge_has_capabilities(const char *path) {
    return syscall(SYS_getxattr, path, "security.capability", (void *)0, (size_t)0) > 0;
}

/// Lets `target` share the blocks of `source`, if their file system supports that (ioctl_ficlone(2)).
static inline int poolgauge_clone_file(int target, int source) {
    return ioctl(target, _IOW(0x94, 9, int), source);
}

/// Calls copy_file_range(2) with the same offset in both files.
static inline ssize_t poolgauge_copy_range(int source, int target, long long offset, size_t length) {
    long long from = offset, to = offset;
    return syscall(SYS_copy_file_range, source, &from, target, &to, length, 0u);
}

/// Calls close_range(2) to close all descriptors from `first`.
static inline int poolgauge_close_from(unsigned first) {
    return (int)syscall(SYS_close_range, first, ~0u, 0u);
}

/// Permanently switches to another user and group, without capabilities.
static inline int poolgauge_become(unsigned user) {
    if (syscall(SYS_setgroups, (size_t)0, (void *)0) != 0) return -1;
    if (syscall(SYS_setresgid, user, user, user) != 0) return -1;
    if (syscall(SYS_setresuid, user, user, user) != 0) return -1;
    // Only root loses its capabilities with its user ID. _LINUX_CAPABILITY_VERSION_3
    struct { unsigned version; int process; } head = {0x20080522, 0};
    struct { unsigned effective, permitted, inheritable; } none[2] = {{0}};
    return (int)syscall(SYS_capset, &head, none);
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

/// Calls process_vm_writev(2) for one range. Returns the number of bytes written.
static inline long poolgauge_write_memory(int process, unsigned long address, const void *buffer, size_t count) {
    struct { const void *base; size_t length; } local = {buffer, count};
    struct { void *base; size_t length; } remote = {(void *)address, count};
    return syscall(SYS_process_vm_writev, process, &local, 1ul, &remote, 1ul, 0ul);
}

/// Starts the program in a file. This process traces the program, which stops before its first
/// instruction. The program cannot write files.
static inline int poolgauge_start_traced(int file, char *const *arguments, char *const *environment) {
    int process = fork();
    if (process != 0) return process;
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_FSIZE, &none) == 0 && ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
        syscall(SYS_execveat, file, "", arguments, environment, 0x1000 /* AT_EMPTY_PATH */);
    _exit(127);
}

/// Makes the end of this process end a traced process.
static inline int poolgauge_bind_traced(int process) {
    return (int)syscall(SYS_ptrace, PTRACE_SETOPTIONS, process, 0ul, PTRACE_O_EXITKILL);
}

/// Continues a stopped process, for one instruction or until it stops.
static inline int poolgauge_resume(int process, int is_single) {
    return (int)syscall(SYS_ptrace, is_single ? PTRACE_SINGLESTEP : PTRACE_CONT, process, 0ul, 0ul);
}

/// Replaces the 8 bytes at an address, which may be in code.
static inline int poolgauge_replace_code(int process, unsigned long address, unsigned long word) {
    return (int)syscall(SYS_ptrace, PTRACE_POKETEXT, process, address, word);
}

/// Reads the general registers of a stopped process.
static inline int poolgauge_get_registers(int process, struct user_regs_struct *registers) {
    struct { void *base; size_t length; } all = {registers, sizeof *registers};
    return (int)syscall(SYS_ptrace, PTRACE_GETREGSET, process, 1ul, &all);
}

/// Sets the general registers of a stopped process.
static inline int poolgauge_set_registers(int process, struct user_regs_struct *registers) {
    struct { void *base; size_t length; } all = {registers, sizeof *registers};
    return (int)syscall(SYS_ptrace, PTRACE_SETREGSET, process, 1ul, &all);
}

#if defined(__x86_64__)
static inline unsigned long poolgauge_instruction(const struct user_regs_struct *r) { return r->rip; }
static inline unsigned long poolgauge_stack(const struct user_regs_struct *r) { return r->rsp; }
static inline unsigned long poolgauge_result(const struct user_regs_struct *r) { return r->rax; }
static inline unsigned long poolgauge_first(const struct user_regs_struct *r) { return r->rdi; }
static inline unsigned long poolgauge_third(const struct user_regs_struct *r) { return r->rdx; }
/// A breakpoint instruction.
static const unsigned long poolgauge_breakpoint = 0xcc;

/// Sets the registers for a call of a function with six arguments. The caller writes the return
/// address and further arguments to the stack.
static inline void poolgauge_prepare_call(struct user_regs_struct *r, unsigned long function, const unsigned long *a, unsigned long stack, unsigned long end) {
    (void)end;
    r->rip = function, r->rsp = stack, r->rax = 0, r->orig_rax = ~0ul;
    r->rdi = a[0], r->rsi = a[1], r->rdx = a[2], r->rcx = a[3], r->r8 = a[4], r->r9 = a[5];
}

/// Sets the registers for the return from a function. `end` is the word on the stack.
static inline void poolgauge_prepare_return(struct user_regs_struct *r, unsigned long end) {
    r->rip = end, r->rsp += 8, r->orig_rax = ~0ul;
}
#elif defined(__aarch64__)
static inline unsigned long poolgauge_instruction(const struct user_regs_struct *r) { return r->pc; }
static inline unsigned long poolgauge_stack(const struct user_regs_struct *r) { return r->sp; }
static inline unsigned long poolgauge_result(const struct user_regs_struct *r) { return r->regs[0]; }
static inline unsigned long poolgauge_first(const struct user_regs_struct *r) { return r->regs[0]; }
static inline unsigned long poolgauge_third(const struct user_regs_struct *r) { return r->regs[2]; }
/// A breakpoint instruction.
static const unsigned long poolgauge_breakpoint = 0xd4200000;

/// Sets the registers for a call of a function with eight arguments.
static inline void poolgauge_prepare_call(struct user_regs_struct *r, unsigned long function, const unsigned long *a, unsigned long stack, unsigned long end) {
    for (int i = 0; i < 8; i++) r->regs[i] = a[i];
    r->pc = function, r->sp = stack + 8, r->regs[30] = end;
}

/// Sets the registers for the return from a function.
static inline void poolgauge_prepare_return(struct user_regs_struct *r, unsigned long end) {
    (void)end;
    r->pc = r->regs[30];
}
#endif

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

/// Calls openat2(2) to open a file below a directory, which symbolic links cannot leave.
static inline int poolgauge_open_in_root(int root, const char *path, unsigned long long flags) {
    // RESOLVE_NO_MAGICLINKS and RESOLVE_IN_ROOT
    struct { unsigned long long flags, mode, resolve; } how = {flags, 0, 0x02 | 0x10};
    return (int)syscall(437, root, path, &how, sizeof how);
}

/// Opens a descriptor that reports the processes that open marked files and, if they should wait, makes
/// them wait until an answer is written.
static inline int poolgauge_fanotify(int waits) {
    // FAN_CLOEXEC and FAN_NONBLOCK, with FAN_CLASS_CONTENT or with FAN_REPORT_FID, without which each
    // report opens the file
    return (int)syscall(SYS_fanotify_init, 0x1u | 0x2u | (waits ? 0x4u : 0x200u), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}
static inline int poolgauge_fanotify_open(int descriptor, int waits, const char *path) {
    // FAN_MARK_ADD with FAN_OPEN_PERM or FAN_OPEN
    return (int)syscall(SYS_fanotify_mark, descriptor, 1u, waits ? 0x10000ull : 0x20ull, AT_FDCWD, path);
}

/// Makes the kernel kill this process unless it calls this function again in time. The timer also
/// kills a process that is stopped.
static inline int poolgauge_live_on(int milliseconds) {
    static timer_t timer;
    static int exists;
    if (!exists) {
        struct sigevent kill = {0};
        kill.sigev_notify = SIGEV_SIGNAL;
        kill.sigev_signo = SIGKILL;
        if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0) return -1;
        exists = 1;
    }
    struct itimerspec time = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000000l}};
    return timer_settime(timer, 0, &time, 0);
}
#endif

#endif
