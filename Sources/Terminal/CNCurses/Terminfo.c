#include "CNCurses.h"

#include <curses.h>
#include <unistd.h>
// Include this header last, because it defines words such as `columns` and `lines` as macros.
#include <term.h>

bool pg_terminal_is_known(const char *name) {
    int status = 0;
    bool known = setupterm(name, STDOUT_FILENO, &status) == OK && status == 1;
    if (known) del_curterm(cur_term);
    return known;
}
