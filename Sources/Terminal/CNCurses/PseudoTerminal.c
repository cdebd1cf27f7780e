#define _GNU_SOURCE 1
#include "CNCurses.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

bool pg_pty_open(int columns, int rows, int *main, int *near) {
    int far_side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (far_side < 0) return false;
    char name[128] = "";
    int near_side = -1;
    if (grantpt(far_side) == 0 && unlockpt(far_side) == 0) {
        // Copy the name immediately, because ptsname returns a shared buffer.
        const char *found = ptsname(far_side);
        if (found && strlen(found) < sizeof name) strcpy(name, found);
        if (*name) near_side = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    if (near_side < 0) {
        int saved = errno;
        close(far_side);
        errno = saved;
        return false;
    }
    *main = far_side;
    *near = near_side;
    return pg_pty_resize(far_side, columns, rows);
}

pid_t pg_pty_spawn(
    const char *const *arguments, const char *const *environment, int near) {
    pid_t child = fork();
    if (child != 0) return child;
    // Only async-signal-safe functions may be called between fork and exec.
    setsid();
    ioctl(near, TIOCSCTTY, 0);
    dup2(near, 0);
    dup2(near, 1);
    dup2(near, 2);
    // A program that keeps running, such as a server, must not keep inherited pipes open.
    for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int signal = 1; signal < 32; signal++) sigaction(signal, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], (char *const *)arguments, (char *const *)environment);
    _exit(127);
}

bool pg_pty_resize(int main, int columns, int rows) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return ioctl(main, TIOCSWINSZ, &size) == 0;
}

bool pg_pty_settings(int near, uint8_t *bytes, int32_t capacity, int32_t *count) {
    struct termios settings;
    memset(&settings, 0, sizeof settings);
    if (tcgetattr(near, &settings) != 0) return false;
    *count = 0;
    const tcflag_t flags[] = {
        settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag};
    size_t length = sizeof flags + sizeof settings.c_cc;
    if ((size_t)capacity < length) return false;
    memcpy(bytes, flags, sizeof flags);
    memcpy(bytes + sizeof flags, settings.c_cc, sizeof settings.c_cc);
    *count = (int32_t)length;
    return true;
}
