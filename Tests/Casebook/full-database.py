"""Writes fail because the database is full."""
import os
import time

from support import *

TITLE = 'Writes fail because the database is full'
PROBLEM = """
The disk, a quota, or PRAGMA max_page_count is full. Each insert fails with SQLITE_FULL, and
some programs ignore the error.
"""
SAYS = """
The share of executions that fail with SQLITE_FULL.
"""
REMEDY = """
Space, or a larger limit.
"""
REPORTS = [
    "https://github.com/stashapp/stash/issues/5720",
]
VARIATIONS = ['']
SQL = True
unavailable = needs_root

def program(path, end, _):
    c = create(path)
    c.execute("PRAGMA max_page_count = 20")
    for _ in until(end, 0.01):
        try:
            c.execute("INSERT INTO item (name) VALUES (hex(randomblob(2000)))")
        except sqlite3.OperationalError:
            pass


def check(case):
    case.finding("failures", "warning")
    case.says("SQLITE_FULL", "is full")


if __name__ == "__main__":
    main(globals())
