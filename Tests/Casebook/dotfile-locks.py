"""Locks that cannot be seen."""
import os
import time

from support import *

TITLE = 'Locks that cannot be seen'
PROBLEM = """
Programs on network file systems use vfs=unix-dotfile. Their locks are files, so no tool sees
who holds them.
"""
SAYS = """
That the programs lock with a file next to the database, and that holders cannot be seen.
"""
REMEDY = """
The default VFS where the file system supports it.
"""
REPORTS = [
    "https://sqlite.org/vfs.html",
]
VARIATIONS = ['']

def program(path, end, _):
    uri = f"file:{path}?vfs=unix-dotfile"
    c = sqlite3.connect(uri, uri=True, isolation_level=None)
    c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    c.execute("BEGIN IMMEDIATE")
    c.execute("INSERT INTO item VALUES (1)")
    time.sleep(max(0, end - time.time()))


def check(case):
    case.finding("hiddenLocks")
    case.says("unix-dotfile", "cannot be seen")


if __name__ == "__main__":
    main(globals())
