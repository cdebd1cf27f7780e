"""Two copies of SQLite in one process."""
import ctypes
import shutil

from support import *

TITLE = 'Two copies of SQLite in one process'
PROBLEM = """
Two libraries of a program contain SQLite, and both open the database. When one copy closes it, the
system releases the locks of the other one, and another process can write at the same time.
"""
SAYS = """
Which two files contain the copies.
"""
REMEDY = """
One copy of SQLite in a process.
"""
REPORTS = []
VARIATIONS = ['']
SQL = True


def library():
    """Returns the file with SQLite, which this process has mapped."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if "libsqlite3" in line:
                return line.split()[-1]
    return None


def unavailable():
    return needs_root() or (None if library() else "Python has no shared libsqlite3")


def program(path, end, _):
    c = create(path)
    shutil.copy(library(), path + ".so")
    copy = ctypes.CDLL(path + ".so", mode=ctypes.RTLD_LOCAL)
    connection = ctypes.c_void_p()
    copy.sqlite3_open(path.encode(), ctypes.byref(connection))
    for _ in until(end, 0.05):
        c.execute("SELECT count(*) FROM item").fetchall()
        copy.sqlite3_exec(connection, b"SELECT max(id) FROM item", None, None, None)


def check(case):
    case.finding("twoCopies", "alarm")
    case.says("in 2 copies of SQLite", "app.db.so")


if __name__ == "__main__":
    main(globals())
