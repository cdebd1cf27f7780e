#include "CNCurses.h"
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MARK: Restoring the terminal without ncurses

enum { DISARMED, ARMED, RESTORING };
// The variables below are written only in the state DISARMED. Handlers read them in RESTORING.
static atomic_int state = DISARMED;
static int terminal = -1;
static int drawing = -1;
static int nowhere = -1;
static struct termios settings;
static char restore_bytes[256];
static size_t restore_count = 0;
// Time limits in milliseconds: for a terminal that accepts no output, for example after ^S, and for
// another thread that is restoring the terminal.
enum { OUTPUT_LIMIT = 2000, RESTORE_LIMIT = 3000 };

void pg_restore_arm(
    int descriptor, int drawing_descriptor, const struct termios *before, const char *bytes,
    size_t count) {
    atomic_store(&state, DISARMED);
    terminal = descriptor;
    drawing = drawing_descriptor;
    if (nowhere < 0) nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    settings = *before;
    restore_count = count < sizeof restore_bytes ? count : sizeof restore_bytes;
    memcpy(restore_bytes, bytes, restore_count);
    static atomic_bool registered = false;
    // Restores the terminal even if a library calls exit().
    if (!atomic_exchange(&registered, true)) atexit(pg_emergency_restore);
    atomic_store(&state, ARMED);
}

void pg_restore_disarm(void) { atomic_store(&state, DISARMED); }

// Several threads may crash at once. The first one restores the terminal, and the process must not
// end before the terminal is restored. The wait is limited, because a thread that is restoring the
// terminal can receive another signal.
static void wait_for_restore(void) {
    enum { PAUSE = 10 };
    for (int waited = 0; waited < RESTORE_LIMIT; waited += PAUSE) {
        if (atomic_load(&state) != RESTORING) return;
        poll(NULL, 0, PAUSE);
    }
}

void pg_emergency_restore(void) {
    int expected = ARMED;
    if (!atomic_compare_exchange_strong(&state, &expected, RESTORING)) {
        wait_for_restore();
        return;
    }
    // Another thread may be drawing. Its current write precedes the restore bytes, because writes
    // to a terminal do not overlap. Its later writes must not reach the terminal.
    if (nowhere >= 0) dup2(nowhere, drawing);
    size_t sent = 0;
    while (sent < restore_count) {
        struct pollfd output = {.fd = terminal, .events = POLLOUT};
        int ready = poll(&output, 1, OUTPUT_LIMIT);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        ssize_t count = write(terminal, restore_bytes + sent, restore_count - sent);
        if (count < 0 && errno != EINTR) break;
        if (count > 0) sent += (size_t)count;
    }
    tcsetattr(terminal, TCSANOW, &settings);
    atomic_store(&state, DISARMED);
}

// MARK: Handlers

// Signals to report to the event loop. A second request to terminate ends the program immediately,
// because the loop may hang. However, if a terminal disappears, the kernel, the shell, and the
// program that ran the terminal may all send signals. These signals are treated as one request, and
// HUP never ends the program immediately.
static const int reported[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP};
// These signals restore the terminal and then take their previous action.
static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};

enum { REPORTED = sizeof reported / sizeof *reported, FATAL = sizeof fatal / sizeof *fatal };

static struct sigaction reported_before[REPORTED];
static struct sigaction fatal_before[FATAL];
// The time of the first request to terminate, in milliseconds, or 0 if there was none.
static atomic_llong termination_requested_at = 0;
enum { ONE_REQUEST = 300 };
static atomic_int pipe_in = -1;
static int pipe_out = -1;

static void report(int signal) {
    int saved = errno;
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        long long now = time.tv_sec * 1000LL + time.tv_nsec / 1000000 + 1, requested = 0;
        if (!atomic_compare_exchange_strong(&termination_requested_at, &requested, now)) {
            if (signal == SIGHUP || now - requested < ONE_REQUEST) {
                errno = saved;
                return;
            }
            pg_emergency_restore();
            _exit(128 + signal);
        }
    }
    unsigned char byte = (unsigned char)signal;
    int descriptor = atomic_load(&pipe_in);
    // If the pipe is full, the loop already has enough signals to handle.
    if (descriptor >= 0) (void)!write(descriptor, &byte, 1);
    errno = saved;
}

static void die(int signal) {
    pg_emergency_restore();
    for (size_t index = 0; index < FATAL; index++) {
        if (fatal[index] == signal) sigaction(signal, &fatal_before[index], NULL);
    }
    // The signal is delivered when this handler returns, so that the next handler receives the
    // location of the fault.
    raise(signal);
}

int pg_signals_install(void) {
    int ends[2];
    if (pipe_out >= 0 || pipe(ends) != 0) return -1;
    for (int index = 0; index < 2; index++) {
        fcntl(ends[index], F_SETFD, FD_CLOEXEC);
        fcntl(ends[index], F_SETFL, O_NONBLOCK);
    }
    pipe_out = ends[0];
    atomic_store(&termination_requested_at, 0);
    atomic_store(&pipe_in, ends[1]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = report;
    action.sa_flags = SA_RESTART;
    for (size_t index = 0; index < REPORTED; index++) {
        sigaction(reported[index], NULL, &reported_before[index]);
        // Keep ignoring signals that the parent process ignores, such as HUP under nohup.
        if (reported_before[index].sa_handler == SIG_IGN) continue;
        sigaction(reported[index], &action, NULL);
    }
    action.sa_handler = die;
    action.sa_flags = SA_ONSTACK;
    for (size_t index = 0; index < FATAL; index++) {
        sigaction(fatal[index], &action, &fatal_before[index]);
    }
    return pipe_out;
}

void pg_signals_remove(void) {
    if (pipe_out < 0) return;
    // The handlers for the signals that end the program stay installed, because the results must
    // still be written and the HUP of a lost terminal may arrive after the loss is detected. After
    // this call, the first signal is treated as this HUP, and a second one ends the program
    // immediately.
    for (size_t index = 0; index < REPORTED; index++) {
        int signal = reported[index];
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) continue;
        sigaction(signal, &reported_before[index], NULL);
    }
    for (size_t index = 0; index < FATAL; index++) {
        sigaction(fatal[index], &fatal_before[index], NULL);
    }
    int descriptor = atomic_exchange(&pipe_in, -1);
    if (descriptor >= 0) close(descriptor);
    close(pipe_out);
    pipe_out = -1;
}

void pg_signals_stop_process(void) {
    struct sigaction standard, stop, continued;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    // Without a handler, SIGCONT continues the process without side effects. With a handler, any
    // thread may report it at any time after this function has returned.
    sigaction(SIGCONT, &standard, &continued);
    sigaction(SIGTSTP, &standard, &stop);
    // The signal is sent only to this thread. When raise returns, all threads have stopped and
    // continued.
    raise(SIGTSTP);
    sigaction(SIGTSTP, &stop, NULL);
    sigaction(SIGCONT, &continued, NULL);
}

int pg_signals_next(int descriptor) {
    unsigned char byte = 0;
    return read(descriptor, &byte, 1) == 1 ? byte : 0;
}
