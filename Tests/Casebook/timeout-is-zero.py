"""No busy timeout, in a program that has not failed yet."""
import os

from support import *

TITLE = 'No busy timeout, although several processes write'
PROBLEM = """
The connections of a program have no busy timeout. As long as its writes do not meet others, nothing
fails.
"""
SAYS = """
How many connections have no busy timeout, and that other processes use the database.
"""
REMEDY = """
PRAGMA busy_timeout on each connection.
"""
REPORTS = ["https://github.com/Lynricsy/OneSSH/issues/4"]
VARIATIONS = ['wal', 'delete']
SQL = True
unavailable = needs_root


def program(path, end, mode):
    create(path, mode).close()
    if os.fork() == 0:
        c = connect(path, None)
        for _ in until(end, 0.1):
            pass
        os._exit(0)
    c = connect(path, None, timeout=0)
    for _ in until(end, 0.05):
        c.execute("UPDATE item SET hits = 2 WHERE id = 2")


def check(case):
    case.finding("noTimeout", "note")
    case.says("1 connection of", "has no busy timeout, and 2 processes use the database",
              "busy_timeout none")


if __name__ == "__main__":
    main(globals())
