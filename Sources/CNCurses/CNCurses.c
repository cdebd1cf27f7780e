#define NCURSES_WIDECHAR 1
#include "CNCurses.h"
#include <curses.h>

const char *poolgauge_curses_version(void) { return curses_version(); }
