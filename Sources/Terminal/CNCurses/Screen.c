#define _GNU_SOURCE 1
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include "CNCurses.h"
#include "Internal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

// Keys are read through a separate window, because reading through the screen's window would also
// refresh the screen.
static SCREEN *screen = NULL;
// ncurses draws through a separate descriptor. pg_emergency_restore redirects it, but not standard
// output, which a backtrace may use.
static FILE *output = NULL;
static WINDOW *keys = NULL;
static struct termios settings_before;
static bool is_utf8 = false;
static bool uses_mouse = false;

// Enables reports of presses, releases and drags (1002, or 1000 for terminals without 1002) in
// decimal form (1006). See "Mouse Tracking" in
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html.
static const char mouse_on[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";

enum { KEY_MOUSE_SGR = KEY_MAX + 1, KEY_MOUSE_X10 };

const char *pg_curses_version(void) { return curses_version(); }

static bool names_utf8(const char *name) {
    return name && (strcasecmp(name, "UTF-8") == 0 || strcasecmp(name, "UTF8") == 0);
}

bool pg_locale_is_utf8(void) {
    if (!setlocale(LC_CTYPE, "")) {
        static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
        for (size_t index = 0; index < sizeof variables / sizeof *variables; index++) {
            const char *value = getenv(variables[index]);
            if (!value || !*value) continue;
            const char *dot = strchr(value, '.');
            char codeset[16] = "";
            if (dot) snprintf(codeset, sizeof codeset, "%.*s", (int)strcspn(dot + 1, "@"), dot + 1);
            if (names_utf8(codeset)) setlocale(LC_CTYPE, "C.UTF-8");
            break;
        }
    }
    is_utf8 = names_utf8(nl_langinfo(CODESET));
    return is_utf8;
}

// Appends a terminfo string without its padding, "$<…>".
static size_t append_capability(char *bytes, size_t count, size_t capacity, const char *name) {
    const char *text = tigetstr(name);
    if (!text || text == (char *)-1) return count;
    while (*text && count < capacity) {
        const char *end;
        if (text[0] == '$' && text[1] == '<' && (end = strchr(text, '>'))) {
            text = end + 1;
        } else {
            bytes[count++] = *text++;
        }
    }
    return count;
}

static void arm_restore(void) {
    char bytes[256];
    size_t count = 0;
    if (uses_mouse) {
        count = sizeof mouse_off - 1;
        memcpy(bytes, mouse_off, count);
    }
    // Turn attributes, the keypad and the alternate screen off, and turn the cursor on.
    static const char *const names[] = {"sgr0", "rmkx", "rmcup", "cnorm"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        count = append_capability(bytes, count, sizeof bytes, names[index]);
    }
    pg_restore_arm(STDOUT_FILENO, fileno(output), &settings_before, bytes, count);
}

bool pg_screen_send(const char *bytes, size_t count) {
    if (!output) return false;
    while (count > 0) {
        ssize_t sent = write(fileno(output), bytes, count);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return true;
}

bool pg_screen_speaks_xterm(void) {
    const char *mouse = tigetstr("kmous");
    return mouse && mouse != (const char *)-1;
}

// Defines common key sequences in addition to the terminfo entry, because TERM often does not match
// the terminal. For example, xterm-256color has a different sequence for Home than tmux.
static void define_common_keys(void) {
    static const struct {
        const char *bytes;
        int code;
    } common[] = {
        {"\033[A", KEY_UP},     {"\033OA", KEY_UP},     {"\033[B", KEY_DOWN},  {"\033OB", KEY_DOWN},
        {"\033[C", KEY_RIGHT},  {"\033OC", KEY_RIGHT},  {"\033[D", KEY_LEFT},  {"\033OD", KEY_LEFT},
        {"\033[H", KEY_HOME},   {"\033OH", KEY_HOME},   {"\033[1~", KEY_HOME}, {"\033[7~", KEY_HOME},
        {"\033[F", KEY_END},    {"\033OF", KEY_END},    {"\033[4~", KEY_END},  {"\033[8~", KEY_END},
        {"\033[5~", KEY_PPAGE}, {"\033[6~", KEY_NPAGE}, {"\033[3~", KEY_DC},   {"\033[Z", KEY_BTAB},
        {"\033OP", KEY_F(1)},   {"\033[11~", KEY_F(1)}, {"\033[[A", KEY_F(1)},
    };
    for (size_t index = 0; index < sizeof common / sizeof *common; index++) {
        if (!key_defined(common[index].bytes)) define_key(common[index].bytes, common[index].code);
    }
}

static void enable_mouse(bool use_mouse) {
    uses_mouse = use_mouse && pg_screen_speaks_xterm();
    if (!uses_mouse) return;
    // The caller decodes mouse events, because mouse support in ncurses depends on the terminfo
    // entry and does not report wheel and motion events consistently.
    define_key("\033[<", KEY_MOUSE_SGR);
    define_key("\033[M", KEY_MOUSE_X10);
    pg_screen_send(mouse_on, sizeof mouse_on - 1);
}

// Makes reads return immediately if there is no input. ncurses reads only after it has found input,
// but ^C can discard that input before the read, which would then block until the next key.
static void never_wait_for_input(void) {
    struct termios settings;
    if (tcgetattr(STDOUT_FILENO, &settings) != 0) return;
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings);
    // reset_prog_mode restores these settings.
    def_prog_mode();
}

static bool open_output(void) {
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return false;
    output = fdopen(copy, "w");
    if (!output) close(copy);
    return output != NULL;
}

static void close_output(void) {
    if (output) fclose(output);
    output = NULL;
}

bool pg_screen_open(
    const char *name, bool use_colors, bool use_mouse, pg_screen_colors *colors) {
    memset(colors, 0, sizeof *colors);
    if (screen || tcgetattr(STDOUT_FILENO, &settings_before) != 0) return false;
    if (!open_output()) return false;
    screen = newterm(name, output, stdin);
    if (!screen) {
        close_output();
        return false;
    }
    arm_restore();
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    keys = newpad(1, 1);
    if (!keys) {
        pg_screen_close();
        return false;
    }
    keypad(keys, TRUE);
    nodelay(keys, TRUE);
    never_wait_for_input();
    define_common_keys();
    enable_mouse(use_mouse);
    if (uses_mouse) arm_restore();
    if (use_colors && has_colors() && start_color() == OK) {
        colors->colors = COLORS;
        colors->pairs = COLOR_PAIRS;
        colors->has_default_colors = use_default_colors() == OK;
        colors->is_direct = COLORS > 256 && tigetflag("RGB") > 0;
#if !defined(NCURSES_EXT_COLORS) || !NCURSES_EXT_COLORS
        if (colors->pairs > 256) colors->pairs = 256;
        if (colors->colors > 256) colors->colors = 256;
        colors->is_direct = false;
#endif
    }
    int32_t columns, rows;
    // newterm uses the environment variables LINES and COLUMNS, which do not reflect changes to the
    // terminal's size.
    if (pg_terminal_size(&columns, &rows)) pg_screen_resize(columns, rows);
    return true;
}

void pg_screen_close(void) {
    if (!screen) return;
    pg_screen_suspend();
    uses_mouse = false;
    if (keys) delwin(keys);
    keys = NULL;
    delscreen(screen);
    screen = NULL;
    close_output();
}

void pg_screen_suspend(void) {
    if (!screen) return;
    if (uses_mouse) pg_screen_send(mouse_off, sizeof mouse_off - 1);
    endwin();
    tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings_before);
    pg_restore_disarm();
}

void pg_screen_resume(void) {
    if (!screen) return;
    arm_restore();
    reset_prog_mode();
    int32_t columns, rows;
    if (pg_terminal_size(&columns, &rows)) pg_screen_resize(columns, rows);
    clearok(curscr, TRUE);
    // After endwin, the first refresh takes over the terminal again.
    wnoutrefresh(stdscr);
    doupdate();
    curs_set(0);
    // ncurses sends the keypad mode only when a key is read. Until then, it only stores the
    // setting.
    keypad(keys, FALSE);
    keypad(keys, TRUE);
    if (uses_mouse) pg_screen_send(mouse_on, sizeof mouse_on - 1);
}

bool pg_terminal_size(int32_t *columns, int32_t *rows) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

void pg_screen_resize(int32_t columns, int32_t rows) {
    if (!screen) return;
    if (columns == COLS && rows == LINES) return;
    // resizeterm would also add KEY_RESIZE to the input.
    resize_term(rows, columns);
    clearok(curscr, TRUE);
}

bool pg_screen_define_pair(int32_t pair, int32_t foreground, int32_t background) {
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
    return init_extended_pair(pair, foreground, background) == OK;
#else
    return init_pair((short)pair, (short)foreground, (short)background) == OK;
#endif
}

void pg_screen_forget_pairs(void) {
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
    reset_color_pairs();
#endif
}

static bool is_control(uint32_t scalar) {
    return scalar < 0x20 || (scalar >= 0x7f && scalar < 0xa0);
}

void pg_screen_put(
    int32_t x, int32_t y, const uint32_t *scalars, int32_t count, int32_t cells,
    uint32_t attributes, int32_t pair) {
    if (!screen) return;
    wchar_t text[CCHARW_MAX + 1] = {0};
    int32_t kept = 0;
    bool is_shown = count > 0;
    for (int32_t index = 0; index < count && kept < CCHARW_MAX; index++) {
        uint32_t scalar = scalars[index];
        if (is_control(scalar) || (!is_utf8 && scalar > 0x7e)) is_shown = false;
        // Only zero-width marks may follow.
        if (index > 0 && wcwidth((wchar_t)scalar) != 0) continue;
        text[kept++] = (wchar_t)scalar;
    }
    int width = is_shown ? wcwidth(text[0]) : -1;
    if (width < 1 || width > cells) {
        text[0] = count > 0 ? L'?' : L' ';
        text[1] = 0;
        width = 1;
    }
    attr_t shown = A_NORMAL;
    if (attributes & PG_BOLD) shown |= A_BOLD;
    if (attributes & PG_DIM) shown |= A_DIM;
    if (attributes & PG_UNDERLINE) shown |= A_UNDERLINE;
    if (attributes & PG_REVERSE) shown |= A_REVERSE;
#ifdef A_ITALIC
    if (attributes & PG_ITALIC) shown |= A_ITALIC;
#endif
    cchar_t cell;
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
    int extended = pair;
    setcchar(&cell, text, shown, 0, &extended);
#else
    setcchar(&cell, text, shown, (short)pair, NULL);
#endif
    mvadd_wch(y, x, &cell);
    if (cells == 2 && width == 1) {
        text[0] = L' ';
        text[1] = 0;
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
        setcchar(&cell, text, shown, 0, &extended);
#else
        setcchar(&cell, text, shown, (short)pair, NULL);
#endif
        mvadd_wch(y, x + 1, &cell);
    }
}

void pg_screen_flush(void) {
    if (!screen) return;
    wnoutrefresh(stdscr);
    doupdate();
}

static uint32_t special(wint_t code) {
    if (code >= KEY_F(1) && code <= KEY_F(12)) return PG_SPECIAL_F0 + (uint32_t)(code - KEY_F0);
    switch (code) {
    case KEY_ENTER: return PG_SPECIAL_ENTER;
    case KEY_BACKSPACE: return PG_SPECIAL_BACKSPACE;
    case KEY_DC: return PG_SPECIAL_DELETE;
    case KEY_UP: return PG_SPECIAL_UP;
    case KEY_DOWN: return PG_SPECIAL_DOWN;
    case KEY_LEFT: return PG_SPECIAL_LEFT;
    case KEY_RIGHT: return PG_SPECIAL_RIGHT;
    case KEY_PPAGE: return PG_SPECIAL_PAGE_UP;
    case KEY_NPAGE: return PG_SPECIAL_PAGE_DOWN;
    case KEY_HOME: return PG_SPECIAL_HOME;
    case KEY_END: return PG_SPECIAL_END;
    case KEY_BTAB: return PG_SPECIAL_BACK_TAB;
    default: return 0;
    }
}

int32_t pg_key_next(uint32_t *code) {
    *code = 0;
    if (!keys) return PG_KEY_NONE;
    wint_t read = 0;
    switch (wget_wch(keys, &read)) {
    case OK:
        *code = (uint32_t)read;
        return PG_KEY_SCALAR;
    case KEY_CODE_YES:
        if (read == KEY_MOUSE_SGR) return PG_KEY_MOUSE_SGR;
        if (read == KEY_MOUSE_X10) return PG_KEY_MOUSE_X10;
        *code = special(read);
        return *code ? PG_KEY_SPECIAL : PG_KEY_OTHER;
    default:
        return PG_KEY_NONE;
    }
}

int64_t pg_thread_bytes_written(void) {
    int file = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    char text[512];
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return -1;
    text[count] = 0;
    const char *found = strstr(text, "wchar: ");
    return found ? (int64_t)strtoll(found + strlen("wchar: "), NULL, 10) : -1;
}
