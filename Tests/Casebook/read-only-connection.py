"""Writes fail because the connection is read-only."""
import os
import time

from support import *

TITLE = 'Writes fail because the connection is read-only'
PROBLEM = """
A program opens the database read-only (mode=ro, a read-only mount, a file of another user), and
writes to it.
"""
SAYS = """
The share of executions that fail with SQLITE_READONLY.
"""
REMEDY = """
The permissions of the file and its folder, or how the connection is opened.
"""
REPORTS = [
    "https://github.com/WiseLibs/better-sqlite3/issues/511",
]
VARIATIONS = ['']
SQL = True
unavailable = needs_root

def program(path, end, _):
    create(path).close()
    keep = connect(path, None)
    keep.execute("SELECT count(*) FROM item").fetchall()
    c = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    for _ in until(end, 0.02):
        try:
            c.execute("UPDATE item SET hits = 1")
        except sqlite3.OperationalError:
            pass


def check(case):
    case.finding("failures", "warning")
    case.says("SQLITE_READONLY", "100%")


if __name__ == "__main__":
    main(globals())
