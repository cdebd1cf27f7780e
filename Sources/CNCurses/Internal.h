#ifndef POOLGAUGE_CNCURSES_INTERNAL_H
#define POOLGAUGE_CNCURSES_INTERNAL_H

#include <stddef.h>
#include <termios.h>

// What gives the terminal back without ncurses, prepared before the terminal is taken.

/// Keeps the settings and the bytes for pg_emergency_restore, and arms it.
void pg_restore_arm(int descriptor, const struct termios *settings, const char *bytes, size_t count);

/// From now on pg_emergency_restore does nothing.
void pg_restore_disarm(void);

#endif
