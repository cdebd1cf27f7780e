#ifndef POOLGAUGE_CNCURSES_H
#define POOLGAUGE_CNCURSES_H

/// The version of the ncurses library in use, such as "ncurses 6.4.20221231".
const char *poolgauge_curses_version(void);

#endif
