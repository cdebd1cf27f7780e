#include "CNCurses.h"
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MARK: Giving the terminal back without ncurses

// Written while `armed` is false, read by handlers while it is true.
static atomic_bool armed = false;
static int terminal = -1;
static struct termios settings;
static char farewell[256];
static size_t farewell_count = 0;

void pg_restore_arm(int descriptor, const struct termios *before, const char *bytes, size_t count) {
    atomic_store(&armed, false);
    terminal = descriptor;
    settings = *before;
    farewell_count = count < sizeof farewell ? count : sizeof farewell;
    memcpy(farewell, bytes, farewell_count);
    static atomic_bool registered = false;
    // A library that calls exit() leaves no broken terminal behind.
    if (!atomic_exchange(&registered, true)) atexit(pg_emergency_restore);
    atomic_store(&armed, true);
}

void pg_restore_disarm(void) { atomic_store(&armed, false); }

void pg_emergency_restore(void) {
    if (!atomic_exchange(&armed, false)) return;
    size_t sent = 0;
    while (sent < farewell_count) {
        ssize_t count = write(terminal, farewell + sent, farewell_count - sent);
        if (count < 0 && errno != EINTR) break;
        if (count > 0) sent += (size_t)count;
    }
    tcsetattr(terminal, TCSANOW, &settings);
}

// MARK: Handlers

// Told to the event loop. A second one of those that end the program does so at once: the loop
// may be what hangs. But a terminal that goes away says so several times, by the kernel, by the
// shell and by whatever ran the terminal: that is one request, and a HUP is never impatient.
static const int told[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP};
// The terminal is given back, then the signal does what it would have done.
static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};

enum { TOLD = sizeof told / sizeof *told, FATAL = sizeof fatal / sizeof *fatal };

static struct sigaction told_before[TOLD];
static struct sigaction fatal_before[FATAL];
// When the program was asked to end, in milliseconds; 0 while it was not.
static atomic_llong asked_to_end = 0;
enum { ONE_REQUEST = 300 };
static atomic_int pipe_in = -1;
static int pipe_out = -1;

static void tell(int signal) {
    int saved = errno;
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        long long now = time.tv_sec * 1000LL + time.tv_nsec / 1000000 + 1, asked = 0;
        if (!atomic_compare_exchange_strong(&asked_to_end, &asked, now)) {
            if (signal == SIGHUP || now - asked < ONE_REQUEST) {
                errno = saved;
                return;
            }
            pg_emergency_restore();
            _exit(128 + signal);
        }
    }
    unsigned char byte = (unsigned char)signal;
    int descriptor = atomic_load(&pipe_in);
    // A full pipe has told enough already.
    if (descriptor >= 0) (void)!write(descriptor, &byte, 1);
    errno = saved;
}

static void die(int signal) {
    pg_emergency_restore();
    for (size_t index = 0; index < FATAL; index++) {
        if (fatal[index] == signal) sigaction(signal, &fatal_before[index], NULL);
    }
    // Held back until this handler returns, so that whoever is next sees the place of the fault.
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
    atomic_store(&asked_to_end, 0);
    atomic_store(&pipe_in, ends[1]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    for (size_t index = 0; index < TOLD; index++) {
        sigaction(told[index], NULL, &told_before[index]);
        // What the parent told us to ignore, as nohup does with HUP, stays ignored.
        if (told_before[index].sa_handler == SIG_IGN) continue;
        sigaction(told[index], &action, NULL);
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
    // Those that end the program stay as they are: what was measured is still to be written, and the
    // HUP of a terminal that is gone may come after the terminal was seen to be gone. From now on
    // the first one is held to be that, and a second one ends the program at once.
    for (size_t index = 0; index < TOLD; index++) {
        int signal = told[index];
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) continue;
        sigaction(signal, &told_before[index], NULL);
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
    struct sigaction standard, stop, go_on;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    // Without a handler SIGCONT lets the process go on and leaves nothing behind; with one, any
    // thread may tell of it at any time after this returned.
    sigaction(SIGCONT, &standard, &go_on);
    sigaction(SIGTSTP, &standard, &stop);
    // To this thread alone: all have stopped when raise returns, and then go on.
    raise(SIGTSTP);
    sigaction(SIGTSTP, &stop, NULL);
    sigaction(SIGCONT, &go_on, NULL);
}

int pg_signals_next(int descriptor) {
    unsigned char byte = 0;
    return read(descriptor, &byte, 1) == 1 ? byte : 0;
}
