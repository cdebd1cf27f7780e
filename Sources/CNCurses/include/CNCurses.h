#ifndef POOLGAUGE_CNCURSES_H
#define POOLGAUGE_CNCURSES_H

// ncurses behind plain functions: its macros and variadic functions do not import into Swift.
//
// There is one screen for each process. All of these functions, but those of the section
// "Signals" that say otherwise, belong to one thread: the one that called pg_screen_open.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Terminals

/// The version of the ncurses library in use, such as "ncurses 6.4.20221231".
const char *pg_curses_version(void);

/// Takes the character set from LC_ALL, LC_CTYPE or LANG, and says whether it is UTF-8.
///
/// A name that asks for UTF-8 and is not installed, as on a bare Debian, is served by C.UTF-8.
bool pg_locale_is_utf8(void);

/// Whether the terminfo database describes a terminal of this name.
bool pg_terminal_is_known(const char *name);

// MARK: The screen

enum {
    PG_BOLD = 1,
    PG_DIM = 2,
    PG_UNDERLINE = 4,
    PG_REVERSE = 8,
    PG_ITALIC = 16,
};

/// What kind of number a colour is.
typedef struct {
    /// How many colours there are; 0 when the terminal has none.
    int32_t colors;
    /// How many pairs of colours there can be.
    int32_t pairs;
    /// Whether a colour is 0xRRGGBB (from 8 upward) rather than an index.
    bool is_direct;
    /// Whether -1 is the colour that the terminal uses when nobody asks.
    bool has_default_colors;
} pg_screen_colors;

/// Takes the terminal on descriptors 0 and 1 over, as a terminal of this name.
///
/// - Returns: whether it could; errno tells nothing.
bool pg_screen_open(
    const char *name, bool wants_colors, bool wants_mouse, pg_screen_colors *colors);

/// Whether the terminal's entry says that it has a mouse, as those have that speak xterm's
/// language.
bool pg_screen_speaks_xterm(void);

/// Sends bytes past ncurses: only what changes no cell.
bool pg_screen_send(const char *bytes, size_t count);

/// Gives the terminal back as it was; does nothing when it was not taken.
void pg_screen_close(void);

/// Gives the terminal back for the time that the process is stopped.
void pg_screen_suspend(void);

/// Takes the terminal over again, and draws every cell anew.
void pg_screen_resume(void);

/// The extent that the terminal tells; false when it tells none.
bool pg_terminal_size(int32_t *columns, int32_t *rows);

/// Makes the screen this large; what it shows is undefined until every cell was put again.
void pg_screen_resize(int32_t columns, int32_t rows);

/// Defines pair 1 … pairs-1 as two colours; -1 for the terminal's own.
bool pg_screen_define_pair(int32_t pair, int32_t foreground, int32_t background);

/// Forgets every pair, so that their numbers can be used again.
void pg_screen_forget_pairs(void);

/// Puts a character with its combining marks on a cell, or on two when `cells` is 2.
///
/// A control character, and a character that is wider than `cells`, shows as "?".
void pg_screen_put(
    int32_t x, int32_t y, const uint32_t *scalars, int32_t count, int32_t cells,
    uint32_t attributes, int32_t pair);

/// Sends what changed.
void pg_screen_flush(void);

/// How many bytes the calling thread has written to all its descriptors; -1 where the system does
/// not count them.
int64_t pg_thread_bytes_written(void);

// MARK: Keys

enum {
    PG_KEY_NONE = 0,
    /// `code` is a Unicode scalar.
    PG_KEY_SCALAR = 1,
    /// `code` is one of the PG_SPECIAL numbers.
    PG_KEY_SPECIAL = 2,
    /// A key that has no name here.
    PG_KEY_OTHER = 3,
    /// The beginning of what a mouse did; the rest follows as scalars: "0;12;5M".
    PG_KEY_MOUSE_SGR = 4,
    /// The same, in the form of terminals that know no other: three scalars.
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

/// Takes the next key that was typed, without waiting for one.
int32_t pg_key_next(uint32_t *code);

// MARK: Signals

/// Directs the signals that concern a terminal to a pipe, one byte each, and makes fatal ones
/// give the terminal back before they do what they did.
///
/// - Returns: the pipe's reading end, or -1.
int pg_signals_install(void);

/// Puts the former handlers back but for INT, TERM and HUP, and closes the pipe.
///
/// Of those three a further one is swallowed, and the one after it ends the program at once.
void pg_signals_remove(void);

/// Stops the process as ^Z does, and returns when it goes on.
void pg_signals_stop_process(void);

/// The number of a signal that was pending in the pipe, or 0.
int pg_signals_next(int descriptor);

/// Gives the terminal back with fixed bytes and `tcsetattr` alone; may be called from a signal
/// handler and from any thread. Does nothing when the terminal was not taken.
void pg_emergency_restore(void);

// MARK: Pseudo-terminals, for tests

/// Opens a pseudo-terminal: `main` is a person's side, `near` the program's.
bool pg_pty_open(int columns, int rows, int *main, int *near);

/// Starts a program as the leader of a session on a pseudo-terminal.
///
/// - Parameters:
///   - arguments: the path and the arguments, ended by NULL.
///   - environment: "NAME=value" texts, ended by NULL.
///   - near: the program's side of the terminal.
/// - Returns: the process, or -1 with errno.
pid_t pg_pty_spawn(const char *const *arguments, const char *const *environment, int near);

/// Tells a pseudo-terminal its extent.
bool pg_pty_resize(int main, int columns, int rows);

/// Terminal settings in bytes that can be compared.
bool pg_pty_settings(int near, uint8_t *bytes, int32_t capacity, int32_t *count);

#endif
