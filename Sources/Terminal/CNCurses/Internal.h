#ifndef POOLGAUGE_CNCURSES_INTERNAL_H
#define POOLGAUGE_CNCURSES_INTERNAL_H

#include <stddef.h>
#include <termios.h>

// Functions that restore the terminal without ncurses, using data prepared before the takeover.

/// Arms pg_emergency_restore and stores its data: the descriptor of the terminal, a second descriptor
/// that is used only for drawing, the settings, and the bytes.
void pg_restore_arm(
    int descriptor, int drawing_descriptor, const struct termios *settings, const char *bytes,
    size_t count);

/// Disarms pg_emergency_restore.
void pg_restore_disarm(void);

#endif
