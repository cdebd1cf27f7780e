""""database is locked" at the start, in PRAGMA journal_mode."""
import os
import time

from support import *

TITLE = '"database is locked" at the start, in PRAGMA journal_mode'
PROBLEM = """
Several processes start at the same time, and each runs PRAGMA journal_mode = WAL. Some fail at
once, although each connection has a busy timeout.
"""
SAYS = """
That SQLite does not use the busy timeout for this statement.
"""
REMEDY = """
Set the mode once, when the database is created.
"""
REPORTS = [
    "https://github.com/russellromney/honker/pull/102",
]
VARIATIONS = ['']
SQL = True
unavailable = needs_root

def program(path, end, _):
    counts = {"failed": 0, "starts": 0}
    first = connect(path, None)
    first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    for _ in until(end, 0.02):
        first.execute("PRAGMA journal_mode = delete")
        other = connect(path, None, timeout=5)
        other.execute("BEGIN IMMEDIATE")
        counts["starts"] += 1
        try:
            connect(path, "wal", timeout=5).close()
        except sqlite3.OperationalError:
            counts["failed"] += 1
        other.execute("ROLLBACK")
        other.close()
    report(**counts)


def check(case):
    case.finding("busy", "warning")
    case.says("PRAGMA journal_mode", "does not use the busy timeout")


if __name__ == "__main__":
    main(globals())
