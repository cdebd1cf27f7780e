"""The log grows while one transaction runs."""
import os
import time

from support import *

TITLE = 'The log grows while one transaction runs'
PROBLEM = """
An import writes millions of rows in one transaction. The log grows with it, because no
checkpoint can copy frames that are not committed.
"""
SAYS = """
Which process fills the log with a large transaction, and how much so far.
"""
REMEDY = """
Smaller transactions.
"""
REPORTS = [
    "https://sqlite.org/wal.html",
]
VARIATIONS = ['']

def program(path, end, _):
    c = create(path)
    c.execute("PRAGMA cache_size = 50")
    c.execute("BEGIN")
    for _ in until(end, 0.002):
        c.executemany("INSERT INTO item (name) VALUES (?)", [("x" * 500,)] * 50)
    c.execute("COMMIT")


def check(case):
    case.finding("largeTransaction", "warning")
    case.says("has been filling the log")


if __name__ == "__main__":
    main(globals())
