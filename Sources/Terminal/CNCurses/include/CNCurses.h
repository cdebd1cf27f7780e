#ifndef POOLGAUGE_CNCURSES_H
#define POOLGAUGE_CNCURSES_H

// Wrapper functions for ncurses. Swift cannot import its macros and variadic functions.
//
// Each process has one screen. Unless the section "Signals" specifies otherwise, all functions must
// be called on the thread that called pg_screen_open.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Terminals

/// Returns the version of the ncurses library in use, such as "ncurses 6.4.20221231".
const char *pg_curses_version(void);

/// Sets the character set from LC_ALL, LC_CTYPE or LANG, and returns whether it is UTF-8.
///
/// If a UTF-8 locale is requested but not installed, as on a minimal Debian system, C.UTF-8 is
/// used.
bool pg_locale_is_utf8(void);

/// Returns whether the terminfo database contains a terminal with the given name.
bool pg_terminal_is_known(const char *name);

// MARK: The screen

enum {
    PG_BOLD = 1,
    PG_DIM = 2,
    PG_UNDERLINE = 4,
    PG_REVERSE = 8,
    PG_ITALIC = 16,
};

/// The colors of a terminal.
typedef struct {
    /// The number of colors, or 0 if the terminal has none.
    int32_t colors;
    /// The maximum number of color pairs.
    int32_t pairs;
    /// Whether colors from 8 upward are 0xRRGGBB values rather than indexes.
    bool is_direct;
    /// Whether -1 is the terminal's default color.
    bool has_default_colors;
} pg_screen_colors;

/// Takes over the terminal on descriptors 0 and 1, using the terminfo entry with the given name.
///
/// - Returns: Whether it succeeded. The function does not set errno.
bool pg_screen_open(
    const char *name, bool use_colors, bool use_mouse, pg_screen_colors *colors);

/// Returns whether the terminfo entry declares a mouse, as for xterm-compatible terminals.
bool pg_screen_speaks_xterm(void);

/// Sends bytes directly to the terminal. The bytes must not change any cell.
bool pg_screen_send(const char *bytes, size_t count);

/// Restores the terminal. This has no effect if the terminal was not taken over.
void pg_screen_close(void);

/// Restores the terminal while the process is stopped.
void pg_screen_suspend(void);

/// Takes over the terminal again and redraws every cell.
void pg_screen_resume(void);

/// Determines the size of the terminal, or returns false if it is unknown.
bool pg_terminal_size(int32_t *columns, int32_t *rows);

/// Resizes the screen. Its contents are undefined until every cell has been written again.
void pg_screen_resize(int32_t columns, int32_t rows);

/// Defines the color pair with a number from 1 to pairs - 1. The color -1 is the terminal's default
/// color.
bool pg_screen_define_pair(int32_t pair, int32_t foreground, int32_t background);

/// Removes all color pairs, so that their numbers can be reused.
void pg_screen_forget_pairs(void);

/// Writes a character with its combining marks to a cell, or to two cells if `cells` is 2.
///
/// A control character, or a character wider than `cells`, is shown as "?".
void pg_screen_put(
    int32_t x, int32_t y, const uint32_t *scalars, int32_t count, int32_t cells,
    uint32_t attributes, int32_t pair);

/// Sends all changes to the terminal.
void pg_screen_flush(void);

/// Returns the number of bytes that the calling thread has written to all descriptors, or -1 if the
/// system does not count them.
int64_t pg_thread_bytes_written(void);

// MARK: Keys

enum {
    PG_KEY_NONE = 0,
    /// `code` is a Unicode scalar.
    PG_KEY_SCALAR = 1,
    /// `code` is one of the PG_SPECIAL numbers.
    PG_KEY_SPECIAL = 2,
    /// Any other key.
    PG_KEY_OTHER = 3,
    /// The start of a mouse event, which is followed by scalars such as "0;12;5M".
    PG_KEY_MOUSE_SGR = 4,
    /// The start of a mouse event in the older encoding, for terminals that support no other. Three
    /// scalars follow.
    PG_KEY_MOUSE_X10 = 5,
};

enum {
    PG_SPECIAL_ENTER = 1,
    PG_SPECIAL_BACKSPACE,
    PG_SPECIAL_DELETE,
    PG_SPECIAL_UP,
    PG_SPECIAL_DOWN,
    PG_SPECIAL_LEFT,
    PG_SPECIAL_RIGHT,
    PG_SPECIAL_PAGE_UP,
    PG_SPECIAL_PAGE_DOWN,
    PG_SPECIAL_HOME,
    PG_SPECIAL_END,
    PG_SPECIAL_BACK_TAB,
    /// F1 is PG_SPECIAL_F0 + 1, and so on up to 12.
    PG_SPECIAL_F0 = 100,
};

/// Returns the next key without waiting.
int32_t pg_key_next(uint32_t *code);

// MARK: Signals

/// Reports terminal-related signals through a pipe, one byte per signal, and makes fatal signals
/// restore the terminal before their previous action.
///
/// - Returns: The read end of the pipe, or -1.
int pg_signals_install(void);

/// Restores the previous handlers, except for INT, TERM and HUP, and closes the pipe.
///
/// The next of these three signals is ignored, and the one after that ends the program immediately.
void pg_signals_remove(void);

/// Stops the process as ^Z does, and returns when the process continues.
void pg_signals_stop_process(void);

/// Returns the number of a pending signal from the pipe, or 0.
int pg_signals_next(int descriptor);

/// Restores the terminal using only fixed bytes and `tcsetattr`. This function can be called from a
/// signal handler and on any thread. It has no effect if the terminal was not taken over.
void pg_emergency_restore(void);

// MARK: Pseudo-terminals, for tests

/// Opens a pseudo-terminal, where `main` is the user's side and `near` is the program's side.
bool pg_pty_open(int columns, int rows, int *main, int *near);

/// Starts a program as a session leader on a pseudo-terminal.
///
/// - Parameters:
///   - arguments: The path and the arguments, terminated by NULL.
///   - environment: Strings of the form "NAME=value", terminated by NULL.
///   - near: The program's side of the terminal.
/// - Returns: The process ID, or -1 with errno set.
pid_t pg_pty_spawn(const char *const *arguments, const char *const *environment, int near);

/// Sets the size of a pseudo-terminal.
bool pg_pty_resize(int main, int columns, int rows);

/// Returns the terminal settings as comparable bytes.
bool pg_pty_settings(int near, uint8_t *bytes, int32_t capacity, int32_t *count);

#endif
