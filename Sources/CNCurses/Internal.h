#ifndef POOLGAUGE_CNCURSES_INTERNAL_H
#define POOLGAUGE_CNCURSES_INTERNAL_H

#include <stddef.h>
#include <termios.h>

// Functions that restore the terminal without ncurses, using data prepared before the takeover.

/// Stores the settings and bytes for pg_emergency_restore, and arms it.
void pg_restore_arm(int descriptor, const struct termios *settings, const char *bytes, size_t count);

/// Disarms pg_emergency_restore.
void pg_restore_disarm(void);

#endif
