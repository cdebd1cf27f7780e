"""A program opens its database file twice."""
import os
import time

from support import *

TITLE = 'A program opens its database file twice'
PROBLEM = """
A program reads the database file directly (a checksum, an upload, a backup) while it uses it
through SQLite. Closing that descriptor releases the locks of all its connections.
"""
SAYS = """
A note: which process has the file open outside SQLite.
"""
REMEDY = """
Read the file through SQLite, or from another process.
"""
REPORTS = [
    "https://github.com/benbjohnson/litestream/pull/93",
    "https://github.com/MemPalace/mempalace/issues/2471",
]
VARIATIONS = ['wal', 'delete']

def program(path, end, mode):
    c = create(path, mode)
    with open(path, "rb") as file:
        for _ in until(end, 0.1):
            file.seek(0)
            file.read(100)
            c.execute("UPDATE item SET hits = hits + 1 WHERE id = 1")


def check(case):
    case.finding("otherDescriptors", "note")
    case.says("outside SQLite")


if __name__ == "__main__":
    main(globals())
